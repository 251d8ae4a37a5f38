/* Cancels a thread that waits on a semaphore nobody posts. */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t never;

static void *wait_for_ever(void *unused)
{
    (void)unused;
    sem_wait(&never);
    return NULL;
}

int main(void)
{
    pthread_t waiter;
    void *result;

    sem_init(&never, 0, 0);
    pthread_create(&waiter, NULL, wait_for_ever, NULL);
    pthread_cancel(waiter);
    pthread_join(waiter, &result);
    return result == PTHREAD_CANCELED ? 0 : 1;
}
