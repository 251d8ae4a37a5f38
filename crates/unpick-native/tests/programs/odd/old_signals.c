/* The other names of `signal` and `raise`; the first is what `signal` is called by a strict standard (-std=c11). */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

typedef void handler(int);
extern handler *__sysv_signal(int, handler *);
extern handler *bsd_signal(int, handler *);

static int handled;

static void handle(int signal)
{
    (void)signal;
    handled++;
}

static void *work(void *unused)
{
    struct sigaction action;

    assert(__sysv_signal(SIGUSR1, handle) == SIG_DFL);
    raise(SIGUSR1);
    /* Once and no more. */
    assert(sysv_signal(SIGUSR1, handle) == SIG_DFL);
    gsignal(SIGUSR1);
    assert(bsd_signal(SIGUSR2, handle) == SIG_DFL);
    raise(SIGUSR2);
    assert(ssignal(SIGUSR2, handle) == handle);
    siginterrupt(SIGUSR2, 1);
    sigaction(SIGUSR2, NULL, &action);
    assert(action.sa_handler == handle && !(action.sa_flags & SA_RESTART));
    raise(SIGUSR2);
    return unused;
}

int main(void)
{
    pthread_t worker;

    pthread_create(&worker, NULL, work, NULL);
    pthread_join(worker, NULL);
    assert(handled == 4);
    return 0;
}
