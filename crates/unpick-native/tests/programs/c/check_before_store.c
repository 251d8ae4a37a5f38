/* Two threads each try once to enter a room with C11 atomics alone.
 *
 * Bug: a thread looks at the flag of the other one first and raises its own flag afterwards.
 * Fails when both look before either raises its flag: both are inside.
 * Fix: raise the own flag first, then look (both sequentially consistent).
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static atomic_bool flag[2];
static atomic_int inside;

static void *visit(void *argument)
{
    atomic_bool *mine = argument;
    atomic_bool *others = mine == &flag[0] ? &flag[1] : &flag[0];

#ifdef FIXED
    atomic_store(mine, true);
    bool is_free = !atomic_load(others);
#else
    bool is_free = !atomic_load(others);
    atomic_store(mine, true);
#endif
    if (is_free) {
        int others_inside = atomic_fetch_add(&inside, 1);
        assert(others_inside == 0);
        atomic_fetch_sub(&inside, 1);
    }
    atomic_store(mine, false);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, visit, &flag[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
