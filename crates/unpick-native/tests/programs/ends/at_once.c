/* main ends the process with _exit: no handler runs, but a worker may have come to its abort. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_int steps;

static void *work(void *unused)
{
    atomic_fetch_add(&steps, 1);
    atomic_fetch_add(&steps, 1);
#ifndef FIXED
    abort();
#endif
    return unused;
}

int main(void)
{
    pthread_t worker;

    atexit(abort);
    pthread_create(&worker, NULL, work, NULL);
    _exit(0);
}
