/* Two threads add to a statistic; they would rather not wait for the lock.
 *
 * Bug: after three tries the result of pthread_mutex_trylock is forgotten and the thread goes on
 * without the lock, and unlocks what it does not hold.
 * Fails when one thread holds the lock during all tries of the other: both add at the same time.
 * Fix: after the last try, wait for the lock.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { TRIES = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int samples;

static void *add_sample(void *unused)
{
    (void)unused;
    int result = 1;
    for (int i = 0; i < TRIES && result != 0; i++)
        result = pthread_mutex_trylock(&lock);
#ifdef FIXED
    if (result != 0)
        pthread_mutex_lock(&lock);
#endif
    samples++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, add_sample, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(samples == 2);
    return 0;
}
