/* The main thread stops a worker with a signal whose handler sets a flag.
 *
 * Bug: the worker looks at the flag, then blocks in read; no SA_RESTART, so a signal in read helps.
 * Fails when the signal comes between the look and the read.
 * Fix: the handler writes to the pipe.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t is_stopped;
static int ends[2];

static void handle(int signal)
{
    (void)signal;
    is_stopped = 1;
#ifdef FIXED
    write(ends[1], "s", 1);
#endif
}

static void *work(void *unused)
{
    (void)unused;
    while (!is_stopped) {
        char byte;
        sched_yield();
        if (read(ends[0], &byte, 1) < 0)
            assert(errno == EINTR);
    }
    return NULL;
}

int main(void)
{
    pthread_t worker;
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    sigaction(SIGUSR1, &action, NULL);
    if (pipe(ends) != 0)
        return 2;
    raise(SIGUSR1);
    assert(is_stopped);
    is_stopped = 0;
#ifdef FIXED
    char byte;
    assert(read(ends[0], &byte, 1) == 1);
#endif
    pthread_create(&worker, NULL, work, NULL);
    pthread_kill(worker, SIGUSR1);
    pthread_join(worker, NULL);
    return 0;
}
