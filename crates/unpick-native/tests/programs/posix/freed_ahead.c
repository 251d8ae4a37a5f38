/* An object is freed while another thread is about to come to it. KIND says which: 1 a barrier, 2 a once, 3 a semaphore
   that is posted twice and waited for once. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#ifndef KIND
#define KIND 1
#endif

static void *object;

static void initialise(void)
{
}

static void *use(void *unused)
{
#if KIND == 1
    pthread_barrier_wait(object);
#elif KIND == 2
    pthread_once(object, initialise);
#else
    sem_post(object);
    sem_post(object);
#endif
    return unused;
}

int main(void)
{
    pthread_t user;
    object = calloc(1, 128);
#if KIND == 1
    pthread_barrier_init(object, NULL, 1);
#elif KIND == 3
    sem_init(object, 0, 0);
#endif
    pthread_create(&user, NULL, use, NULL);
#if KIND == 3
    sem_wait(object);
#endif
#ifdef FIXED
    pthread_join(user, NULL);
#endif
    free(object);
#ifndef FIXED
    pthread_join(user, NULL);
#endif
    return 0;
}
