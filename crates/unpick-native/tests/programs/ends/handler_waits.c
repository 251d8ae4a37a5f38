/* A handler takes a lock that a worker may hold for ever. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t never;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    sem_wait(&never);
    return unused;
}

static void save(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t worker;

    sem_init(&never, 0, 0);
    atexit(save);
    pthread_create(&worker, NULL, work, NULL);
    return 0;
}
