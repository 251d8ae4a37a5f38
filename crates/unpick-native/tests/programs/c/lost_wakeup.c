/* The main thread waits until a worker has loaded a table.
 *
 * Bug: the waiter does not look whether the table is there already; it just waits to be signalled.
 * Fails when the worker signals before the main thread waits: nobody signals again.
 * Fix: a flag under the lock, looked at in a loop.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t loaded = PTHREAD_COND_INITIALIZER;
static bool is_loaded;
static int table[2];

static void *load(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    table[0] = 1;
    table[1] = 2;
    is_loaded = true;
    pthread_cond_signal(&loaded);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t loader;

    pthread_create(&loader, NULL, load, NULL);
    pthread_mutex_lock(&lock);
#ifdef FIXED
    while (!is_loaded)
        pthread_cond_wait(&loaded, &lock);
    assert(table[0] + table[1] == 3);
#else
    pthread_cond_wait(&loaded, &lock);
    /* A spurious wake-up comes before the table is there; that is forgiven here. */
    assert(!is_loaded || table[0] + table[1] == 3);
#endif
    pthread_mutex_unlock(&lock);
    pthread_join(loader, NULL);
    return 0;
}
