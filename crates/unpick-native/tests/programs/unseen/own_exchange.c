/* A compare-and-exchange in assembly, which no instrumentation sees. */
#include <pthread.h>

static int word;

static void *exchange(void *unused) {
    int expected = 0;
    __asm__ volatile("lock cmpxchgl %2, %0" : "+m"(word), "+a"(expected) : "r"(1) : "memory");
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, exchange, 0);
    exchange(0);
    pthread_join(thread, 0);
    return 0;
}
