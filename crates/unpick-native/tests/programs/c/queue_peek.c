/* A queue of jobs; a monitor peeks at the head while a worker takes jobs and frees them.
 *
 * Bug: the monitor reads the head pointer without the lock and follows it.
 * Fails when the worker takes and frees the head between the two: use after free.
 * Fix: the monitor holds the lock while it looks.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct job { int priority; struct job *next; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct job *_Atomic head;

static void push(int priority)
{
    struct job *job = malloc(sizeof *job);
    if (job == NULL)
        abort();
    job->priority = priority;
    job->next = atomic_load(&head);
    atomic_store(&head, job);
}

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        struct job *job = atomic_load(&head);
        atomic_store(&head, job->next);
        pthread_mutex_unlock(&lock);
        free(job);
    }
    return NULL;
}

static void *monitor(void *unused)
{
    (void)unused;
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    struct job *job = atomic_load(&head);
    if (job != NULL)
        assert(job->priority > 0);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

int main(void)
{
    pthread_t worker, watcher;

    push(1);
    push(2);
    pthread_create(&worker, NULL, work, NULL);
    pthread_create(&watcher, NULL, monitor, NULL);
    pthread_join(worker, NULL);
    pthread_join(watcher, NULL);
    return 0;
}
