/* The first thing that the worker does is to abort: main can return before, and the worker can be quicker. */
#include <pthread.h>
#include <stdlib.h>

static void *work(void *unused)
{
#ifndef FIXED
    abort();
#endif
    return unused;
}

int main(void)
{
    pthread_t worker;

    pthread_create(&worker, NULL, work, NULL);
    return 0;
}
