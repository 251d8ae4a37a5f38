/* A cache behind a read-write lock. A loader fills it; a reader that finds it empty fills it itself.
 *
 * Bug: the reader asks for the write lock while it still holds the read lock.
 * Fails when the reader comes before the loader: it waits for itself.
 * Fix: let go of the read lock, take the write lock, look again.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int cached;
static int fills;

static void fill(void)
{
    if (cached == 0) {
        cached = 42;
        fills++;
    }
}

static void *load(void *unused)
{
    (void)unused;
    pthread_rwlock_wrlock(&lock);
    fill();
    pthread_rwlock_unlock(&lock);
    return NULL;
}

static void *read_value(void *unused)
{
    (void)unused;
    pthread_rwlock_rdlock(&lock);
    if (cached == 0) {
#ifdef FIXED
        pthread_rwlock_unlock(&lock);
#endif
        pthread_rwlock_wrlock(&lock);
        fill();
    }
    assert(cached == 42);
    pthread_rwlock_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t loader, reader;

    pthread_create(&loader, NULL, load, NULL);
    pthread_create(&reader, NULL, read_value, NULL);
    pthread_join(loader, NULL);
    pthread_join(reader, NULL);
    return fills == 1 ? 0 : 1;
}
