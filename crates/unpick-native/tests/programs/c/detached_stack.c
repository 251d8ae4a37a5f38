/* A server hands each request to a detached thread.
 *
 * Bug: the request is a local variable of the function that starts the thread and then returns.
 * Fails when the second request is written to the same place of the stack before the first thread
 * has read its own: both threads serve the second request. The accesses race.
 * Fix: the request is on the heap and the thread frees it.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

struct request { int id; };

static sem_t served;
static atomic_int ids_sum;

static void *serve(void *argument)
{
    struct request *request = argument;
    atomic_fetch_add(&ids_sum, request->id);
#ifdef FIXED
    free(request);
#endif
    sem_post(&served);
    return NULL;
}

static __attribute__((noinline)) void handle(int id)
{
    pthread_attr_t detached;
    pthread_t thread;
#ifdef FIXED
    struct request *request = malloc(sizeof *request);
    if (request == NULL)
        abort();
#else
    struct request local, *request = &local;
#endif

    request->id = id;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &detached, serve, request);
    pthread_attr_destroy(&detached);
}

int main(void)
{
    sem_init(&served, 0, 0);
    handle(1);
    handle(2);
    sem_wait(&served);
    sem_wait(&served);
    assert(atomic_load(&ids_sum) == 3);
    return 0;
}
