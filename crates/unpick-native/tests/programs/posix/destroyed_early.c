/* An object is destroyed, but not freed, while another thread still has to use it. KIND says which: 1 a condition
   variable, 2 a semaphore, 3 a reader-writer lock. */
#include <pthread.h>
#include <semaphore.h>

#ifndef KIND
#define KIND 1
#endif

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static int is_set;

static void *set(void *unused)
{
    pthread_mutex_lock(&mutex);
    is_set = 1;
    pthread_mutex_unlock(&mutex);
#if KIND == 1
    pthread_cond_broadcast(&changed);
#elif KIND == 2
    sem_post(&semaphore);
#else
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
#endif
    return unused;
}

int main(void)
{
    pthread_t setter;
    sem_init(&semaphore, 0, 0);
    pthread_create(&setter, NULL, set, NULL);
    pthread_mutex_lock(&mutex);
    int is_done = is_set;
    pthread_mutex_unlock(&mutex);
#ifdef FIXED
    is_done = 0;
#endif
    if (is_done) {
        pthread_cond_destroy(&changed);
        sem_destroy(&semaphore);
        pthread_rwlock_destroy(&lock);
    }
    pthread_join(setter, NULL);
    return 0;
}
