/* Counters that lie side by side in one word. With -DATOMIC they are atomic variables: a search has the same
 * executions.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef ATOMIC
static _Atomic int one, other;
#define READ(counter) atomic_load_explicit(&counter, memory_order_relaxed)
#define WRITE(counter, value) atomic_store_explicit(&counter, value, memory_order_relaxed)
#else
static int one, other;
#define READ(counter) (*(volatile int *)&counter)
#define WRITE(counter, value) (*(volatile int *)&counter = (value))
#endif

static void *count_one(void *unused)
{
    for (int i = 0; i < 2; i++)
        WRITE(one, READ(one) + 1);
    return unused;
}

static void *count_other(void *unused)
{
    WRITE(other, READ(other) + 1);
    return unused;
}

int main(void)
{
    pthread_t thread[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&thread[i], NULL, i < 2 ? count_one : count_other, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
