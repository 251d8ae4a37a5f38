/* A work-stealing queue after Chase and Lev: the owner takes from the bottom, a thief from the top.
 *
 * Bug: the owner takes the last task without a compare-and-swap on `top`.
 * Fails when the thief has read the last task and `bottom`, the owner then takes the same task, and
 * the compare-and-swap of the thief still succeeds: the task runs twice.
 * Fix: for the last task the owner competes for `top` too.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { TASKS = 2, NONE = -1 };

static atomic_int top, bottom;
static atomic_int slot[TASKS];
static atomic_int run_count[TASKS];

static void push(int task)
{
    int at = atomic_load(&bottom);
    atomic_store(&slot[at], task);
    atomic_store(&bottom, at + 1);
}

static int take(void)
{
    int at = atomic_load(&bottom) - 1;
    atomic_store(&bottom, at);
    int first = atomic_load(&top);
    if (first > at) {
        atomic_store(&bottom, first);
        return NONE;
    }
    int task = atomic_load(&slot[at]);
    if (first < at)
        return task;
#ifdef FIXED
    if (!atomic_compare_exchange_strong(&top, &first, first + 1))
        task = NONE;
#else
    atomic_store(&top, first + 1);
#endif
    atomic_store(&bottom, at + 1);
    return task;
}

static int steal(void)
{
    int first = atomic_load(&top);
    if (first >= atomic_load(&bottom))
        return NONE;
    int task = atomic_load(&slot[first]);
    if (!atomic_compare_exchange_strong(&top, &first, first + 1))
        return NONE;
    return task;
}

static void run(int task)
{
    if (task != NONE)
        atomic_fetch_add(&run_count[task], 1);
}

static void *thief(void *unused)
{
    (void)unused;
    for (int i = 0; i < TASKS; i++)
        run(steal());
    return NULL;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, thief, NULL);
    for (int task = 0; task < TASKS; task++)
        push(task);
    for (int task = 0; task < TASKS; task++)
        run(take());
    pthread_join(thread, NULL);
    for (int task = 0; task < TASKS; task++)
        assert(atomic_load(&run_count[task]) == 1);
    return 0;
}
