/* Threads wait for a condition that comes, by the clock of the day and by the other one. Bug: not long enough. */
#define _GNU_SOURCE
#include "limit.h"
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int stage;

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    stage = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t worker;
    int result = 0;
    struct timespec until = moment(CLOCK_REALTIME);

    pthread_create(&worker, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    while (stage == 0 && result == 0)
        result = pthread_cond_timedwait(&changed, &lock, &until);
    assert(result == 0);
    pthread_mutex_unlock(&lock);
    pthread_join(worker, NULL);
    stage = 0;
    until = moment(CLOCK_MONOTONIC);
    pthread_create(&worker, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    while (stage == 0 && result == 0)
        result = pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &until);
    assert(result == 0);
    pthread_mutex_unlock(&lock);
    pthread_join(worker, NULL);
    return 0;
}
