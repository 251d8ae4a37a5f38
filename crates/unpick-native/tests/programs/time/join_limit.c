/* The main thread waits for the end of another one, with a limit. Bug: not long enough. */
#define _GNU_SOURCE
#include "limit.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int count;

static void *work(void *unused)
{
    (void)unused;
    atomic_fetch_add(&count, 1);
    return NULL;
}

int main(void)
{
    pthread_t worker;
    struct timespec until = moment(CLOCK_REALTIME);

    pthread_create(&worker, NULL, work, NULL);
    assert(pthread_timedjoin_np(worker, NULL, &until) == 0);
    return 0;
}
