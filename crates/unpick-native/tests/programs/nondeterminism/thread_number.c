/* Asks the kernel by hand on which thread it runs: on the first one where tasks are fibers, else on another one. */
#include <assert.h>
#include <pthread.h>
#include <sys/syscall.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

static long ask(long number) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number) : "rcx", "r11", "memory");
    return result;
}

static void *work(void *unused) {
    if (ask(SYS_gettid) != ask(SYS_getpid)) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    assert(!done);
    return 0;
}
