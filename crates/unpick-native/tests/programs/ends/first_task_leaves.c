/* main leaves with pthread_exit; the process goes on, and one detached worker trips over the other. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int turn;

static void *first(void *unused)
{
    atomic_store(&turn, 1);
    atomic_store(&turn, 0);
    return unused;
}

static void *second(void *unused)
{
    if (atomic_load(&turn) == 1) {
#ifndef FIXED
        abort();
#endif
    }
    return unused;
}

int main(void)
{
    pthread_t workers[2];

    pthread_create(&workers[0], NULL, first, NULL);
    pthread_create(&workers[1], NULL, second, NULL);
    pthread_detach(workers[0]);
    pthread_detach(workers[1]);
    pthread_exit(NULL);
}
