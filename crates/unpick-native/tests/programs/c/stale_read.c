/* Two clerks sell the last seat of a flight; seats are behind a read-write lock.
 *
 * Bug: a clerk looks under the read lock and sells under the write lock, without looking again.
 * Fails when both look before either sells: the seat is sold twice.
 * Fix: look and sell under one write lock.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int seats_free = 1;

static void *sell(void *unused)
{
    (void)unused;
#ifdef FIXED
    pthread_rwlock_wrlock(&lock);
    if (seats_free > 0)
        seats_free--;
    pthread_rwlock_unlock(&lock);
#else
    pthread_rwlock_rdlock(&lock);
    int found = seats_free;
    pthread_rwlock_unlock(&lock);
    if (found > 0) {
        pthread_rwlock_wrlock(&lock);
        seats_free--;
        pthread_rwlock_unlock(&lock);
    }
#endif
    return NULL;
}

int main(void)
{
    pthread_t clerk[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&clerk[i], NULL, sell, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(clerk[i], NULL);
    assert(seats_free == 0);
    return 0;
}
