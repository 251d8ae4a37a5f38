/* Two workers go through two rounds with a home-made barrier between them.
 *
 * Bug: whoever arrives last sets the count back to zero, and the others wait for the count to be
 * zero. Nothing tells one round from the next.
 * Fails when the last worker of round one arrives again for round two before the other one has
 * looked: that one sees a count of one, waits on, and both wait for a third.
 * Fix: wait for the number of the round to change.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { WORKERS = 2, ROUNDS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int arrived, round_number;

static void meet(void)
{
    pthread_mutex_lock(&lock);
    int mine = round_number;
    arrived++;
    if (arrived == WORKERS) {
        arrived = 0;
        round_number++;
        pthread_cond_broadcast(&changed);
    } else {
#ifdef FIXED
        while (mine == round_number)
#else
        (void)mine;
        while (arrived != 0)
#endif
            pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++)
        meet();
    return NULL;
}

int main(void)
{
    pthread_t worker[WORKERS];

    for (int i = 0; i < WORKERS; i++)
        pthread_create(&worker[i], NULL, work, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(worker[i], NULL);
    assert(round_number == ROUNDS);
    return 0;
}
