/* A worker writes into a pipe whose reader may be gone.
 *
 * Bug: nobody cares about SIGPIPE.
 * Fails when the reader closes its end first.
 * Fix: the signal is ignored and the error is looked at.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static int ends[2];

static void *work(void *unused)
{
    (void)unused;
    if (write(ends[1], "x", 1) != 1)
        assert(errno == EPIPE);
    return NULL;
}

int main(void)
{
    pthread_t worker;

#ifdef FIXED
    signal(SIGPIPE, SIG_IGN);
#endif
    if (pipe(ends) != 0)
        return 2;
    pthread_create(&worker, NULL, work, NULL);
    close(ends[0]);
    pthread_join(worker, NULL);
    return 0;
}
