/* A condition variable lives with its mutex and its flag on the heap, and the waiter frees them. Bug: the notifier signals
   after it has let the waiter go on. */
#include <pthread.h>
#include <stdlib.h>

static struct shared {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int is_set;
} *shared;

static void *set(void *unused)
{
    pthread_mutex_lock(&shared->mutex);
    shared->is_set = 1;
#ifdef FIXED
    pthread_cond_signal(&shared->changed);
    pthread_mutex_unlock(&shared->mutex);
#else
    pthread_mutex_unlock(&shared->mutex);
    pthread_cond_signal(&shared->changed);
#endif
    return unused;
}

int main(void)
{
    pthread_t setter;
    shared = calloc(1, sizeof *shared);
    pthread_create(&setter, NULL, set, NULL);
    pthread_mutex_lock(&shared->mutex);
    while (!shared->is_set)
        pthread_cond_wait(&shared->changed, &shared->mutex);
    pthread_mutex_unlock(&shared->mutex);
    free(shared);
    pthread_join(setter, NULL);
    return 0;
}
