/* What may be destroyed at once: a barrier by the first thread that leaves it, a semaphore by the thread that got the
   unit, a condition variable by a thread that was notified under the lock, a mutex by the next thread that had it.
   Nothing fails. */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

static pthread_barrier_t *barrier;
static sem_t *semaphore;
static struct shared {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int is_set;
} *shared;

static void *other(void *unused)
{
    if (pthread_barrier_wait(barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
        pthread_barrier_destroy(barrier);
        free(barrier);
    }
    pthread_mutex_lock(&shared->mutex);
    shared->is_set = 1;
    pthread_cond_signal(&shared->changed);
    pthread_mutex_unlock(&shared->mutex);
    sem_post(semaphore);
    return unused;
}

int main(void)
{
    pthread_t thread;
    barrier = malloc(sizeof *barrier);
    semaphore = malloc(sizeof *semaphore);
    shared = calloc(1, sizeof *shared);
    pthread_barrier_init(barrier, NULL, 2);
    sem_init(semaphore, 0, 0);
    pthread_create(&thread, NULL, other, NULL);
    if (pthread_barrier_wait(barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
        pthread_barrier_destroy(barrier);
        free(barrier);
    }
    pthread_mutex_lock(&shared->mutex);
    while (!shared->is_set)
        pthread_cond_wait(&shared->changed, &shared->mutex);
    pthread_cond_destroy(&shared->changed);
    pthread_mutex_unlock(&shared->mutex);
    pthread_mutex_destroy(&shared->mutex);
    free(shared);
    sem_wait(semaphore);
    sem_destroy(semaphore);
    free(semaphore);
    pthread_join(thread, NULL);
    return 0;
}
