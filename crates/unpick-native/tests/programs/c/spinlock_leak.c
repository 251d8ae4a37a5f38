/* A pool of two buffers behind a spin lock; three threads want one each.
 *
 * Bug: the path for an empty pool returns without letting go of the lock.
 * Fails when a thread finds the pool empty: the next one that gives a buffer back spins for ever.
 * (All goes well if one buffer comes back before the third thread asks.)
 * Fix: unlock on every path.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { THREADS = 3 };

static pthread_spinlock_t lock;
static int buffers_free = 2;

static bool take(void)
{
    pthread_spin_lock(&lock);
    if (buffers_free == 0) {
#ifdef FIXED
        pthread_spin_unlock(&lock);
#endif
        return false;
    }
    buffers_free--;
    pthread_spin_unlock(&lock);
    return true;
}

static void give_back(void)
{
    pthread_spin_lock(&lock);
    buffers_free++;
    pthread_spin_unlock(&lock);
}

static void *work(void *unused)
{
    (void)unused;
    if (take())
        give_back();
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];

    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert(buffers_free == 2);
    pthread_spin_destroy(&lock);
    return 0;
}
