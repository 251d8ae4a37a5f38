/* An object is freed as soon as another thread has got to it. Bug: that thread still has to let go of it. KIND says by
   what: 1 unlocks a mutex, 2 a spin lock, 3 a reader-writer lock, 4 posts a semaphore, 5 signals. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef KIND
#define KIND 1
#endif

struct object {
    pthread_mutex_t mutex;
    pthread_spinlock_t spin;
    pthread_rwlock_t lock;
    sem_t semaphore;
    pthread_cond_t changed;
};

static struct object *object;
static atomic_int is_there;

static void *use(void *unused)
{
#if KIND == 1
    pthread_mutex_lock(&object->mutex);
    is_there = 1;
    pthread_mutex_unlock(&object->mutex);
#elif KIND == 2
    pthread_spin_lock(&object->spin);
    is_there = 1;
    pthread_spin_unlock(&object->spin);
#elif KIND == 3
    pthread_rwlock_rdlock(&object->lock);
    is_there = 1;
    pthread_rwlock_unlock(&object->lock);
#elif KIND == 4
    is_there = 1;
    sem_post(&object->semaphore);
#else
    is_there = 1;
    pthread_cond_signal(&object->changed);
#endif
    return unused;
}

int main(void)
{
    pthread_t user;
    object = calloc(1, sizeof *object);
    pthread_create(&user, NULL, use, NULL);
    int is_used = is_there;
#ifdef FIXED
    is_used = 0;
#endif
    if (is_used)
        free(object);
    pthread_join(user, NULL);
    if (!is_used)
        free(object);
    return 0;
}
