/* A queue with a recursive mutex: `take_all` locks and calls `take`, which locks and waits.
 *
 * Bug: the wait lets go of one level of the lock only; the outer level stays held.
 * Fails when `take` has to wait because the producer has not come yet: the producer can never lock.
 * Fix: the public function does not lock around the other one.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock;
static pthread_cond_t added = PTHREAD_COND_INITIALIZER;
static int items;

static void take(void)
{
    pthread_mutex_lock(&lock);
    while (items == 0)
        pthread_cond_wait(&added, &lock);
    items--;
    pthread_mutex_unlock(&lock);
}

static void take_all(int count)
{
#ifndef FIXED
    pthread_mutex_lock(&lock);
#endif
    for (int i = 0; i < count; i++)
        take();
#ifndef FIXED
    pthread_mutex_unlock(&lock);
#endif
}

static void *produce(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        items++;
        pthread_cond_signal(&added);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t kind;
    pthread_t producer;

    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &kind);
    pthread_mutexattr_destroy(&kind);
    pthread_create(&producer, NULL, produce, NULL);
    take_all(2);
    pthread_join(producer, NULL);
    assert(items == 0);
    pthread_mutex_destroy(&lock);
    return 0;
}
