/* A lock for readers and writers. Readers try once in the open; what is left to do is done in code that is not
 * instrumented, as in Rust's own library.
 *
 * Bug: readers count their visits in a plain variable, though there may be two of them.
 * Fails when two readers hold the lock at once.
 * Fix: count in an atomic variable.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { WRITING = -1 };

static atomic_int state;
static int price = 1;
#ifdef FIXED
static atomic_int visits;
#else
static int visits;
#endif

/* The same compare-and-swap, unseen. */
static int swap_in_library(int expected, int value)
{
    int found = expected;

    __asm__ volatile("lock cmpxchgl %2, %1" : "+a"(found), "+m"(state) : "r"(value) : "memory");
    return found;
}

static void lock_in_library(void)
{
    for (int seen = 0;;) {
        int found = swap_in_library(seen, seen + 1);
        if (found == seen)
            return;
        seen = found;
        if (seen == WRITING) {
            sched_yield();
            seen = 0;
        }
    }
}

static void *look(void *argument)
{
    int seen = atomic_load_explicit(&state, memory_order_relaxed);

    if (seen == WRITING)
        seen = 0;
    if (!atomic_compare_exchange_strong_explicit(&state, &seen, seen + 1, memory_order_acquire, memory_order_relaxed))
        lock_in_library();
    visits++;
    assert(price == 1 || price == 2);
    atomic_fetch_sub_explicit(&state, 1, memory_order_release);
    return argument;
}

static void *raise(void *argument)
{
    int free = 0;

    while (!atomic_compare_exchange_weak_explicit(&state, &free, WRITING, memory_order_acquire, memory_order_relaxed)) {
        free = 0;
        sched_yield();
    }
    price = 2;
    atomic_store_explicit(&state, 0, memory_order_release);
    return argument;
}

int main(void)
{
    pthread_t thread[3];

    pthread_create(&thread[0], NULL, raise, NULL);
    pthread_create(&thread[1], NULL, look, NULL);
    pthread_create(&thread[2], NULL, look, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    assert(price == 2);
    return 0;
}
