/* Four workers write a part each, meet at a barrier, and add up all parts.
 *
 * Bug: the barrier was made for two of them.
 * Fails when two workers meet and add up while the others have not written yet: the sum is wrong,
 * and the accesses race.
 * Fix: the barrier counts all four.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { WORKERS = 4 };

static pthread_barrier_t all_written;
static int part[WORKERS];

static void *work(void *place)
{
    *(int *)place = 1;
    pthread_barrier_wait(&all_written);
    int sum = 0;
    for (int i = 0; i < WORKERS; i++)
        sum += part[i];
    assert(sum == WORKERS);
    return NULL;
}

int main(void)
{
    pthread_t worker[WORKERS];

#ifdef FIXED
    pthread_barrier_init(&all_written, NULL, WORKERS);
#else
    pthread_barrier_init(&all_written, NULL, 2);
#endif
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&worker[i], NULL, work, &part[i]);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(worker[i], NULL);
    pthread_barrier_destroy(&all_written);
    return 0;
}
