/* An account whose functions lock an error-checking mutex, and one of them calls another.
 *
 * Bug: the inner lock fails with EDEADLK, which nobody looks at; the inner unlock succeeds and lets
 * go of the lock in the middle of the outer function.
 * Fails when the second thread deposits between that unlock and the write at the end of
 * `add_interest`: its deposit is overwritten. The accesses race.
 * Fix: a recursive mutex.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock;
static int balance = 100;

static int get_balance(void)
{
    pthread_mutex_lock(&lock);
    int found = balance;
    pthread_mutex_unlock(&lock);
    return found;
}

static void *add_interest(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    int interest = get_balance() / 10;
    balance += interest;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *deposit(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    balance += 5;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_mutexattr_t kind;
    pthread_t bank, customer;

    pthread_mutexattr_init(&kind);
#ifdef FIXED
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
#else
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
#endif
    pthread_mutex_init(&lock, &kind);
    pthread_mutexattr_destroy(&kind);
    pthread_create(&bank, NULL, add_interest, NULL);
    pthread_create(&customer, NULL, deposit, NULL);
    pthread_join(bank, NULL);
    pthread_join(customer, NULL);
    assert(balance == 115);
    pthread_mutex_destroy(&lock);
    return 0;
}
