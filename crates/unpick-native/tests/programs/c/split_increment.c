/* Three threads draw numbers from an atomic sequence.
 *
 * Bug: the next number is loaded and stored in two atomic steps. There is no data race, yet the
 * increment is not atomic.
 * Fails when two threads load the same number before either stores the next: both hold it.
 * Fix: one atomic fetch-and-add.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { THREADS = 3 };

static atomic_int next_number;
static int drawn[THREADS];

static int draw(void)
{
#ifdef FIXED
    return atomic_fetch_add(&next_number, 1);
#else
    int number = atomic_load(&next_number);
    atomic_store(&next_number, number + 1);
    return number;
#endif
}

static void *customer(void *place)
{
    *(int *)place = draw();
    return NULL;
}

int main(void)
{
    pthread_t thread[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, customer, &drawn[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < THREADS; i++)
        for (int j = i + 1; j < THREADS; j++)
            assert(drawn[i] != drawn[j]);
    return 0;
}
