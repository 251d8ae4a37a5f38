/* A worker writes through a null pointer: SIGSEGV. */
#include <pthread.h>
#include <stddef.h>

static void *work(void *unused)
{
    volatile int *volatile nowhere = NULL;
    (void)unused;
    *nowhere = 1;
    return NULL;
}

int main(void)
{
    pthread_t worker;

    pthread_create(&worker, NULL, work, NULL);
    pthread_join(worker, NULL);
    return 0;
}
