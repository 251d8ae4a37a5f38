/* A semaphore as a lock around a counter. Bug: it has two units. */
#include <pthread.h>
#include <semaphore.h>

static sem_t units;
static int total;

static void *add(void *unused)
{
    sem_wait(&units);
    total++;
    sem_post(&units);
    return unused;
}

int main(void)
{
    pthread_t other;
#ifdef FIXED
    sem_init(&units, 0, 1);
#else
    sem_init(&units, 0, 2);
#endif
    pthread_create(&other, NULL, add, NULL);
    add(NULL);
    pthread_join(other, NULL);
    return 0;
}
