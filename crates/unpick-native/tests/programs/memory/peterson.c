/* Peterson's mutual exclusion with atomics that order nothing.
 *
 * Bug: a thread looks whether the other one wants to enter while its own wish is still in its store buffer.
 * Fails when both look before either wish is seen, which needs a machine that delays stores (tso).
 * Fix: the turn is given away after the wish, and a fence comes before the look.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int wants[2], turn, inside;

static void enter(int me)
{
    int other = 1 - me;
    atomic_store_explicit(&wants[me], 1, memory_order_relaxed);
#ifdef FIXED
    atomic_store_explicit(&turn, other, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
#else
    atomic_store_explicit(&turn, other, memory_order_relaxed);
#endif
    while (atomic_load_explicit(&wants[other], memory_order_acquire) &&
           atomic_load_explicit(&turn, memory_order_acquire) == other)
        ;
}

static void *visit(void *argument)
{
    int me = (int)(long)argument;
    enter(me);
    int others = atomic_fetch_add(&inside, 1);
    assert(others == 0);
    atomic_fetch_sub(&inside, 1);
    atomic_store_explicit(&wants[me], 0, memory_order_release);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];

    for (long i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, visit, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
