/* Routes are replaced as a whole: the writer swaps a pointer, readers follow it without a lock.
 *
 * Bug: the writer frees the old routes at once, though a reader may still read them.
 * Fails when a reader has loaded the old pointer, the writer swaps and frees, and the reader goes on
 * to read: use after free.
 * Fix: readers announce themselves; the old routes go to the last one that leaves (the writer or
 * the reader), through a count in the routes.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct routes { atomic_int users; int port; int check; };

static struct routes *_Atomic current;
#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static struct routes *make(int port)
{
    struct routes *routes = malloc(sizeof *routes);
    if (routes == NULL)
        abort();
    atomic_init(&routes->users, 1);
    routes->port = port;
    routes->check = -port;
    return routes;
}

static struct routes *acquire(void)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
    struct routes *found = atomic_load(&current);
    atomic_fetch_add(&found->users, 1);
    pthread_mutex_unlock(&lock);
    return found;
#else
    return atomic_load(&current);
#endif
}

static void release(struct routes *routes)
{
#ifdef FIXED
    if (atomic_fetch_sub(&routes->users, 1) == 1)
        free(routes);
#else
    (void)routes;
#endif
}

static void *read_routes(void *unused)
{
    (void)unused;
    struct routes *routes = acquire();
    assert(routes->port + routes->check == 0);
    release(routes);
    return NULL;
}

static void *replace_routes(void *unused)
{
    (void)unused;
#ifdef FIXED
    pthread_mutex_lock(&lock);
    struct routes *old = atomic_exchange(&current, make(81));
    pthread_mutex_unlock(&lock);
    release(old);
#else
    free(atomic_exchange(&current, make(81)));
#endif
    return NULL;
}

int main(void)
{
    pthread_t reader, writer;

    atomic_init(&current, make(80));
    pthread_create(&reader, NULL, read_routes, NULL);
    pthread_create(&writer, NULL, replace_routes, NULL);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    free(atomic_load(&current));
    return 0;
}
