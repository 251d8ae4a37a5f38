/* account: one thread an account deposits, withdraws and transfers. A transfer holds the lock of the account it
   takes from, not of the one it gives to, so that a deposit there can be lost. Atomicity violation.
   Arguments: accounts (10), rounds (5). */
#include "ibm.h"

static pthread_mutex_t locks[THREADS_MAX];
static volatile int balance[THREADS_MAX];
static int account_count, round_count;

static void *customer(void *argument) {
    int own = (int)(long)argument, other = (own + 1) % account_count;
    for (int round = 0; round < round_count; round++) {
        pthread_mutex_lock(&locks[own]);
        balance[own] += 100;
        pthread_mutex_unlock(&locks[own]);
        pthread_mutex_lock(&locks[own]);
        balance[own] -= 50;
        pthread_mutex_unlock(&locks[own]);
        pthread_mutex_lock(&locks[own]);
        balance[own] -= 10;
        balance[other] += 10; /* the lock of `other` is not held */
        pthread_mutex_unlock(&locks[own]);
    }
    return NULL;
}

int main(int argc, char **argv) {
    account_count = size_of(argc, argv, 1, 10);
    round_count = size_of(argc, argv, 2, 5);
    for (int account = 0; account < account_count; account++)
        pthread_mutex_init(&locks[account], NULL);
    for (int account = 0; account < account_count; account++)
        start(customer, account);
    join_all();
    int is_well = 1;
    for (int account = 0; account < account_count; account++)
        is_well &= balance[account] == 50 * round_count;
    return verdict(is_well, "every balance is what its owner left");
}
