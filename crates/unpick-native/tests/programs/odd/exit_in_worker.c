/* A worker ends the process with exit code 3 while the main thread waits to join it. */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static void *work(void *unused)
{
    (void)unused;
    exit(3);
}

int main(void)
{
    pthread_t worker;

    pthread_create(&worker, NULL, work, NULL);
    pthread_join(worker, NULL);
    return 0;
}
