/* A worker ends the process while main still prepares what a handler looks at. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int is_ready;

static void look(void)
{
    if (!atomic_load(&is_ready))
        abort();
}

static void *work(void *unused)
{
    (void)unused;
    exit(0);
}

int main(void)
{
    pthread_t worker;

    atexit(look);
#ifdef FIXED
    atomic_store(&is_ready, 1);
#endif
    pthread_create(&worker, NULL, work, NULL);
    atomic_store(&is_ready, 1);
    pthread_join(worker, NULL);
    return 0;
}
