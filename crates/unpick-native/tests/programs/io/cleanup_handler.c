/* A worker leaves with pthread_exit while it holds a lock.
 *
 * Bug: nothing lets go of the lock.
 * Fails always: the main thread waits for it.
 * Fix: a cleanup handler, which pthread_exit runs.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int depth;

static void let_go(void *argument)
{
    depth = depth * 10 + (int)(intptr_t)argument;
#ifdef FIXED
    if (argument == (void *)1)
        pthread_mutex_unlock(&lock);
#endif
}

static void leave(void)
{
    pthread_cleanup_push(let_go, (void *)2);
    pthread_exit((void *)5);
    pthread_cleanup_pop(0);
}

static void *work(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(let_go, (void *)1);
    leave();
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    pthread_t worker;
    void *result;

    pthread_create(&worker, NULL, work, NULL);
    pthread_join(worker, &result);
    assert(result == (void *)5);
    assert(depth == 21);
    pthread_mutex_lock(&lock);
    return 0;
}
