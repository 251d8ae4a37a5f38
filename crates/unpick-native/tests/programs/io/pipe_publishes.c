/* A worker fills in a result and says so through a pipe.
 *
 * Bug: it says so before the result is there.
 * Fails when the main thread reads the result in between.
 * Fix: first the result, then the byte; the pipe orders the two.
 */
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int done[2];
static int result;

static void *work(void *unused)
{
    (void)unused;
#ifdef FIXED
    result = 42;
    assert(write(done[1], "x", 1) == 1);
#else
    assert(write(done[1], "x", 1) == 1);
    result = 42;
#endif
    return NULL;
}

int main(void)
{
    pthread_t worker;
    char byte;

    if (pipe(done) != 0)
        return 2;
    pthread_create(&worker, NULL, work, NULL);
    assert(read(done[0], &byte, 1) == 1);
    assert(result == 42);
    pthread_join(worker, NULL);
    return 0;
}
