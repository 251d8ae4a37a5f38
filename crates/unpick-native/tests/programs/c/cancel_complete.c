/* A request is either completed by the network thread or cancelled by the user; either frees it.
 *
 * Bug: "is it still pending?" and "it is mine now" are two atomic steps.
 * Fails when both see it pending: both free it.
 * Fix: one exchange decides who owns the request.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct request { int bytes; };

static struct request *_Atomic pending;

static struct request *claim(void)
{
#ifdef FIXED
    return atomic_exchange(&pending, NULL);
#else
    struct request *found = atomic_load(&pending);
    if (found != NULL)
        atomic_store(&pending, NULL);
    return found;
#endif
}

static void *complete(void *unused)
{
    (void)unused;
    free(claim());
    return NULL;
}

static void *cancel(void *unused)
{
    (void)unused;
    free(claim());
    return NULL;
}

int main(void)
{
    pthread_t network, user;
    struct request *request = malloc(sizeof *request);

    if (request == NULL)
        abort();
    request->bytes = 512;
    atomic_init(&pending, request);
    pthread_create(&network, NULL, complete, NULL);
    pthread_create(&user, NULL, cancel, NULL);
    pthread_join(network, NULL);
    pthread_join(user, NULL);
    return 0;
}
