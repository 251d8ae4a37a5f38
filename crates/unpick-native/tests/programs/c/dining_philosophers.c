/* Three philosophers with three forks.
 *
 * Bug: each takes the left fork first, then the right one.
 * Fails when all three hold their left fork and wait for the right one.
 * Fix: the last one takes the right fork first, so that forks are taken in ascending order.
 */
#include <pthread.h>
#include <stddef.h>

enum { SEATS = 3 };

static pthread_mutex_t fork_lock[SEATS] = {
    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
};
static int meals[SEATS];

static void *dine(void *place)
{
    int seat = (int)((int *)place - meals);
    int first = seat, second = (seat + 1) % SEATS;

#ifdef FIXED
    if (first > second) {
        int swapped = first;
        first = second;
        second = swapped;
    }
#endif
    pthread_mutex_lock(&fork_lock[first]);
    pthread_mutex_lock(&fork_lock[second]);
    meals[seat]++;
    pthread_mutex_unlock(&fork_lock[second]);
    pthread_mutex_unlock(&fork_lock[first]);
    return NULL;
}

int main(void)
{
    pthread_t philosopher[SEATS];

    for (int i = 0; i < SEATS; i++)
        pthread_create(&philosopher[i], NULL, dine, &meals[i]);
    for (int i = 0; i < SEATS; i++)
        pthread_join(philosopher[i], NULL);
    return meals[0] + meals[1] + meals[2] == SEATS ? 0 : 1;
}
