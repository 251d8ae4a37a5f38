/* Two threads post, one of them when it has written. Bug: the reader waits for one of them. */
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static int data;

static void *write_first(void *unused)
{
    data = 1;
    sem_post(&ready);
    return unused;
}

static void *post(void *unused)
{
    sem_post(&ready);
    return unused;
}

int main(void)
{
    pthread_t writer, other;
    sem_init(&ready, 0, 0);
    pthread_create(&writer, NULL, write_first, NULL);
    pthread_create(&other, NULL, post, NULL);
    sem_wait(&ready);
#ifdef FIXED
    sem_wait(&ready);
#endif
    int seen = data;
    pthread_join(writer, NULL);
    pthread_join(other, NULL);
    return seen < 0;
}
