/* A thread awaits signals with sigwait; the main thread sends two.
 *
 * Bug: both are the same signal, and one that is pending already is not counted again.
 * Fails when the second one is sent before the first one was taken.
 * Fix: two different signals.
 */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

static sigset_t wanted;

static void *work(void *unused)
{
    int signal;

    (void)unused;
    for (int i = 0; i < 2; i++) {
        assert(sigwait(&wanted, &signal) == 0);
        assert(signal == SIGUSR1 || signal == SIGUSR2);
    }
    return NULL;
}

int main(void)
{
    pthread_t worker;

    sigemptyset(&wanted);
    sigaddset(&wanted, SIGUSR1);
    sigaddset(&wanted, SIGUSR2);
    pthread_sigmask(SIG_BLOCK, &wanted, NULL);
    pthread_create(&worker, NULL, work, NULL);
    kill(getpid(), SIGUSR1);
#ifdef FIXED
    pthread_kill(worker, SIGUSR2);
#else
    kill(getpid(), SIGUSR1);
#endif
    pthread_join(worker, NULL);
    return 0;
}
