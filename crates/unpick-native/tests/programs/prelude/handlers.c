// Handlers and a mask from before `main`, in which everything is blocked, and a timer that keeps one of the handlers
// busy. Executions begin with all of it, and make no system call.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>

static int handled;

static void count(int signal) {
    assert(signal == SIGUSR1);
    handled++;
}

static void ignore(int signal) {
    assert(signal == SIGALRM);
}

static void *work(void *unused) {
    raise(SIGUSR1);
    raise(SIGUSR2);
    return unused;
}

__attribute__((constructor)) static void prepare(void) {
    struct sigaction action = {.sa_handler = count};
    sigfillset(&action.sa_mask);
    sigaction(SIGUSR1, &action, 0);
    action.sa_handler = ignore;
    sigaction(SIGALRM, &action, 0);
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR2);
    sigaddset(&blocked, SIGSYS);
    sigprocmask(SIG_BLOCK, &blocked, 0);
    struct itimerval often = {{0, 100}, {0, 100}};
    setitimer(ITIMER_REAL, &often, 0);
}

int main(void) {
    struct sigaction action;
    sigaction(SIGUSR1, 0, &action);
    assert(action.sa_handler == count && sigismember(&action.sa_mask, SIGTERM));
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, 0, &blocked);
    assert(sigismember(&blocked, SIGUSR2) && !sigismember(&blocked, SIGUSR1));
    pthread_t task;
    pthread_create(&task, 0, work, 0);
    pthread_join(task, 0);
    assert(handled == 1);
}
