/* Two threads count page views in one plain counter.
 *
 * Bug: `views++` reads, adds and writes without a lock.
 * Fails when both threads read the same value before either writes it back: one view is lost. The
 * accesses race in every schedule.
 * Fix: the counter is atomic.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { THREADS = 2, VIEWS = 2 };

#ifdef FIXED
static atomic_int views;
#else
static int views;
#endif

static void *visitor(void *unused)
{
    (void)unused;
    for (int i = 0; i < VIEWS; i++)
        views++;
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, visitor, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert(views == THREADS * VIEWS);
    return 0;
}
