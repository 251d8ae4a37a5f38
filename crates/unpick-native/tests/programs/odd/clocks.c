/* Reads every clock there is, the time-stamp counter too, and lets its control flow depend on them.
 *
 * The calls can be given virtual time; the instruction reads the real one.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>

static uint64_t time_stamp(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return 0;
#endif
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds;

static void *work(void *unused)
{
    struct timespec monotonic, real;
    struct timeval day;

    (void)unused;
    clock_gettime(CLOCK_MONOTONIC, &monotonic);
    clock_gettime(CLOCK_REALTIME, &real);
    gettimeofday(&day, NULL);
    uint64_t mixed = (uint64_t)monotonic.tv_nsec ^ (uint64_t)real.tv_nsec ^ (uint64_t)day.tv_usec
        ^ (uint64_t)time(NULL) ^ (uint64_t)clock() ^ time_stamp();
    for (uint64_t i = 0; i <= mixed % 8; i++) {
        pthread_mutex_lock(&lock);
        rounds++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return rounds >= 2 ? 0 : 1;
}
