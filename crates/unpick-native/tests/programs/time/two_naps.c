/* Two threads sleep, and the one that sleeps longer expects to be the second. Bug: the sleeps are 60 ms apart. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#ifdef FIXED
#define LONG {3, 0}
#else
#define LONG {1, 60000000}
#endif

static atomic_int woken;

static void *nap(void *unused)
{
    struct timespec time = {1, 0};
    (void)unused;
    nanosleep(&time, NULL);
    atomic_store(&woken, 1);
    return NULL;
}

static void *sleep_longer(void *unused)
{
    struct timespec time = LONG;
    (void)unused;
    clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
    assert(atomic_load(&woken) == 1);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&second, NULL, sleep_longer, NULL);
    pthread_create(&first, NULL, nap, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
