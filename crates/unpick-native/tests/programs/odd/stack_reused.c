/* Threads that nobody waits for, one after the other on the same stack: no race, although nothing
 * orders what they do there.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t begun;

static void fill(volatile int *place, int value)
{
    for (int i = 0; i < 16; i++)
        place[i] = value;
}

static void *work(void *argument)
{
    int local[16];

    sem_post(&begun);
    fill(local, argument != NULL);
    return NULL;
}

int main(void)
{
    pthread_t thread;

    sem_init(&begun, 0, 0);
    for (int i = 0; i < 4; i++) {
        pthread_create(&thread, NULL, work, NULL);
        pthread_detach(thread);
        sem_wait(&begun);
    }
    return 0;
}
