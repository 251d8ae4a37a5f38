/* Fails after as many operations as random bytes say. They come from where the kernel puts them when the process
   begins, which is controlled; with BY_HAND from a system call that no function of the C library makes, which is not. */
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;

/* So many that two processes hardly ever have the same number of them. */
static int turns(void) {
    unsigned short seed = 0;
#ifdef BY_HAND
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_getrandom), "D"(&seed), "S"(sizeof seed), "d"(0)
                     : "rcx", "r11", "memory");
#else
    memcpy(&seed, (const void *)getauxval(AT_RANDOM), sizeof seed);
#endif
    return seed % 4096;
}

static void *work(void *unused) {
    for (int turn = turns(); turn >= 0; turn--) {
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
