/* What a task does depends on the time stamp of the processor. */
#include <pthread.h>
#include <x86intrin.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused) {
    if (__rdtsc() & 64) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    unsigned processor = 1;
    unsigned long long first = __rdtscp(&processor);
    if (__rdtsc() < first || processor != 0)
        __builtin_trap();
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, 0);
    return 0;
}
