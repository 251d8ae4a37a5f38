/* Whatever its limit, a wait for what is free does not time out; a limit that is no time is refused where the C library
   looks at it. Nothing fails. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <threads.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_rwlock_t preferring = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static sem_t units;
static mtx_t standard;
static struct timespec over = {1, 0}, soon, wrong = {1, 2000000000};

static void *take(void *unused)
{
    assert(sem_timedwait(&units, &soon) == 0);
    return unused;
}

static void check(const struct timespec *limit)
{
    assert(pthread_mutex_timedlock(&mutex, limit) == 0);
    pthread_mutex_unlock(&mutex);
    assert(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, limit) == 0);
    pthread_mutex_unlock(&mutex);
    assert(mtx_timedlock(&standard, limit) == thrd_success);
    mtx_unlock(&standard);
    assert(pthread_rwlock_timedrdlock(&lock, limit) == 0);
    pthread_rwlock_unlock(&lock);
    assert(pthread_rwlock_timedwrlock(&lock, limit) == 0);
    pthread_rwlock_unlock(&lock);
    assert(pthread_rwlock_clockwrlock(&preferring, CLOCK_MONOTONIC, limit) == 0);
    pthread_rwlock_unlock(&preferring);
    assert(pthread_rwlock_clockrdlock(&preferring, CLOCK_MONOTONIC, limit) == 0);
    pthread_rwlock_unlock(&preferring);
}

int main(void)
{
    pthread_t taker;
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec += (soon.tv_nsec += 1000000) / 1000000000;
    soon.tv_nsec %= 1000000000;
    sem_init(&units, 0, 2);
    mtx_init(&standard, mtx_timed);
    pthread_mutex_lock(&held);
    pthread_create(&taker, NULL, take, NULL);
    check(&over);
    check(&soon);
    assert(sem_timedwait(&units, &over) == 0);

    assert(sem_timedwait(&units, &wrong) == -1 && errno == EINVAL);
    assert(pthread_cond_timedwait(&changed, &held, &wrong) == EINVAL);
    assert(pthread_rwlock_timedwrlock(&lock, &wrong) == EINVAL);
    assert(pthread_mutex_timedlock(&mutex, &wrong) == 0);
    assert(nanosleep(&wrong, NULL) == -1 && errno == EINVAL);
    pthread_join(taker, NULL);
    return 0;
}
