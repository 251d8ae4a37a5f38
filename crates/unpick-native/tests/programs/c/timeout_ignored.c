/* A client waits at most a second for the answer of a worker, which may be told to stop.
 *
 * Bug: the client takes every return of pthread_cond_timedwait for an answer, ETIMEDOUT too.
 * Fails when the worker is stopped before it answers (or is late): the client uses an answer that is
 * not there.
 * Fix: after a time-out, look whether there is an answer, and do without.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static bool stopped;
static int answer;

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    if (!stopped) {
        answer = 42;
        pthread_cond_signal(&answered);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *stop(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    stopped = true;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t worker, stopper;
    struct timespec until;
    int result = 0;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 1;
    pthread_create(&worker, NULL, work, NULL);
    pthread_create(&stopper, NULL, stop, NULL);
    pthread_mutex_lock(&lock);
    while (answer == 0 && result == 0)
        result = pthread_cond_timedwait(&answered, &lock, &until);
#ifdef FIXED
    if (answer != 0)
#endif
        assert(answer == 42);
    pthread_mutex_unlock(&lock);
    pthread_join(worker, NULL);
    pthread_join(stopper, NULL);
    return result == 0 || result == ETIMEDOUT ? 0 : 1;
}
