/* A thread waits for locks that are held for a moment, with a limit. Bug: not long enough. */
#define _GNU_SOURCE
#include "limit.h"
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t ready;

static void *hold(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    sem_post(&ready);
    return NULL;
}

int main(void)
{
    pthread_t holder;
    struct timespec until = moment(CLOCK_REALTIME);

    sem_init(&ready, 0, 0);
    pthread_create(&holder, NULL, hold, NULL);
    assert(pthread_mutex_timedlock(&mutex, &until) == 0);
    pthread_mutex_unlock(&mutex);
    assert(pthread_rwlock_timedrdlock(&lock, &until) == 0);
    pthread_rwlock_unlock(&lock);
    assert(pthread_rwlock_timedwrlock(&lock, &until) == 0);
    pthread_rwlock_unlock(&lock);
    assert(sem_timedwait(&ready, &until) == 0);
    pthread_join(holder, NULL);
    return 0;
}
