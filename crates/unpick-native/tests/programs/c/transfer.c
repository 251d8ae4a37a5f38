/* Two transfers leave the same bank account, and the balance must not go below zero.
 *
 * Bug: the check of the balance and the withdrawal are two critical sections.
 * Fails when both transfers check before either withdraws: the program ends with exit code 1.
 * Fix: check and withdraw under one lock.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static void *transfer(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    int covered = balance >= 80;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    if (covered)
        balance -= 80;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, transfer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    if (balance < 0) {
        fprintf(stderr, "overdrawn: %d\n", balance);
        return 1;
    }
    return 0;
}
