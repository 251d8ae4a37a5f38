/* A thread looks how many units a semaphore has, which another thread may have taken for a moment. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t units;

static void *use(void *unused)
{
    sem_wait(&units);
    sem_post(&units);
    return unused;
}

int main(void)
{
    pthread_t user;
    int count;
    sem_init(&units, 0, 1);
    pthread_create(&user, NULL, use, NULL);
#ifdef FIXED
    pthread_join(user, NULL);
#endif
    sem_getvalue(&units, &count);
    assert(count == 1);
#ifndef FIXED
    pthread_join(user, NULL);
#endif
    return 0;
}
