/* A sensor calls a listener on every value; the listener unsubscribes once a value is over a limit,
 * which another thread can lower.
 *
 * Bug: the listener is called with the lock of the sensor held, and unsubscribing locks it again.
 * Fails when the limit was lowered before the value comes: the publisher waits for itself.
 * Fix: copy the listener under the lock, call it without.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

typedef void listener(int value);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static listener *subscribed;
static atomic_int limit = 100;

static void subscribe(listener *one)
{
    pthread_mutex_lock(&lock);
    subscribed = one;
    pthread_mutex_unlock(&lock);
}

static void watch(int value)
{
    if (value > atomic_load(&limit))
        subscribe(NULL);
}

static void publish(int value)
{
    pthread_mutex_lock(&lock);
    listener *found = subscribed;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    if (found != NULL)
        found(value);
#ifndef FIXED
    pthread_mutex_unlock(&lock);
#endif
}

static void *measure(void *unused)
{
    (void)unused;
    publish(50);
    return NULL;
}

static void *lower_limit(void *unused)
{
    (void)unused;
    atomic_store(&limit, 10);
    return NULL;
}

int main(void)
{
    pthread_t sensor, admin;

    subscribe(watch);
    pthread_create(&sensor, NULL, measure, NULL);
    pthread_create(&admin, NULL, lower_limit, NULL);
    pthread_join(sensor, NULL);
    pthread_join(admin, NULL);
    return 0;
}
