/* A thread goes round and looks for a unit until there is one. */
#include <pthread.h>
#include <semaphore.h>

static sem_t units;

static void *post(void *unused)
{
    sem_post(&units);
    return unused;
}

int main(void)
{
    pthread_t poster;
    int count = 0;
    sem_init(&units, 0, 0);
    pthread_create(&poster, NULL, post, NULL);
    while (count == 0)
        sem_getvalue(&units, &count);
    pthread_join(poster, NULL);
    return 0;
}
