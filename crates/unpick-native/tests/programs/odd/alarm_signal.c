/* Waits for an alarm: an asynchronous signal whose handler posts a semaphore, and an interval timer.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

static sem_t rang;

static void ring(int number)
{
    (void)number;
    sem_post(&rang);
}

static void *wait_for_alarm(void *unused)
{
    (void)unused;
    while (sem_wait(&rang) != 0) {
        /* Interrupted by the signal itself. */
    }
    return NULL;
}

int main(void)
{
    struct sigaction action = { .sa_handler = ring };
    struct itimerval soon = { .it_value = { .tv_usec = 10000 } };
    pthread_t waiter;

    sem_init(&rang, 0, 0);
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    pthread_create(&waiter, NULL, wait_for_alarm, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    pthread_join(waiter, NULL);
    return 0;
}
