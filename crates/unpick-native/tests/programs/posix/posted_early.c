/* Data is handed over by a semaphore that has been posted before. Bug: the consumer waits for one unit only. */
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static int data;

static void *produce(void *unused)
{
    sem_post(&ready);
    data = 42;
    sem_post(&ready);
    return unused;
}

int main(void)
{
    pthread_t producer;
    sem_init(&ready, 0, 0);
    pthread_create(&producer, NULL, produce, NULL);
    sem_wait(&ready);
#ifdef FIXED
    sem_wait(&ready);
#endif
    int seen = data;
    pthread_join(producer, NULL);
    return seen < 0;
}
