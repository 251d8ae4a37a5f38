/* airlinetickets: clerks sell a finite stock. Whether a ticket is left is looked at, and the ticket taken, in two
   steps, the first of them the condition of an if: more can be sold than there are. Data race.
   Arguments: clerks (8), tickets (20). */
#include "ibm.h"
#include <sched.h>

static volatile int left, sold[THREADS_MAX];

static void *clerk(void *argument) {
    int own = (int)(long)argument;
    while (left > 0) {
        sched_yield(); /* where the original prints */
        sold[own]++;
        left = left - 1;
    }
    return NULL;
}

int main(int argc, char **argv) {
    int clerk_count = size_of(argc, argv, 1, 8), ticket_count = size_of(argc, argv, 2, 20), total = 0;
    left = ticket_count;
    for (int number = 0; number < clerk_count; number++)
        start(clerk, number);
    join_all();
    for (int number = 0; number < clerk_count; number++)
        total += sold[number];
    return verdict(total == ticket_count, "as many tickets sold as there were");
}
