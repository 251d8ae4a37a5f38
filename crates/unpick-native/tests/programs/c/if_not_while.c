/* Two consumers take jobs from a counter of open jobs; one producer adds them.
 *
 * Bug: a consumer that was woken takes a job without looking again (`if` instead of `while`).
 * Fails when a consumer waits, the producer adds a job, and the other consumer takes that job
 * before the woken one gets the lock: the count goes below zero.
 * Fix: `while`.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t job_added = PTHREAD_COND_INITIALIZER;
static int open_jobs;

static void *consume(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
#ifdef FIXED
    while (open_jobs == 0)
#else
    if (open_jobs == 0)
#endif
        pthread_cond_wait(&job_added, &lock);
    open_jobs--;
    assert(open_jobs >= 0);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *produce(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        open_jobs++;
        pthread_cond_signal(&job_added);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t consumer[2], producer;

    pthread_create(&consumer[0], NULL, consume, NULL);
    pthread_create(&consumer[1], NULL, consume, NULL);
    pthread_create(&producer, NULL, produce, NULL);
    pthread_join(consumer[0], NULL);
    pthread_join(consumer[1], NULL);
    pthread_join(producer, NULL);
    return 0;
}
