/* suns_account: each account makes deposits to itself and to a total that nothing protects; in the end they must
   agree. Stale value.
   Arguments: accounts (10), deposits each (5). */
#include "ibm.h"

static volatile int total, own_balance[THREADS_MAX];
static int deposits;

static void *account(void *argument) {
    int own = (int)(long)argument;
    for (int number = 1; number <= deposits; number++) {
        own_balance[own] += number;
        total += number;
    }
    return NULL;
}

int main(int argc, char **argv) {
    int account_count = size_of(argc, argv, 1, 10), sum = 0;
    deposits = size_of(argc, argv, 2, 5);
    for (int number = 0; number < account_count; number++)
        start(account, number);
    join_all();
    for (int number = 0; number < account_count; number++)
        sum += own_balance[number];
    return verdict(sum == total, "the total is the sum of the accounts");
}
