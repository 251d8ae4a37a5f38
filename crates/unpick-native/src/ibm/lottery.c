/* lottery: the number of each user goes through one shared variable that nothing protects; the number that is kept
   must be the one that was drawn. Data race.
   Arguments: users (50). */
#include "ibm.h"
#include <sched.h>

static volatile int shared_number;
static int drawn[THREADS_MAX], kept[THREADS_MAX];

static void *user(void *argument) {
    int own = (int)(long)argument;
    drawn[own] = 1000 + own;
    shared_number = drawn[own];
    sched_yield(); /* where the original prints */
    kept[own] = shared_number;
    return NULL;
}

int main(int argc, char **argv) {
    int user_count = size_of(argc, argv, 1, 50), is_well = 1;
    for (int number = 0; number < user_count; number++)
        start(user, number);
    join_all();
    for (int number = 0; number < user_count; number++)
        is_well &= drawn[number] == kept[number];
    return verdict(is_well, "everybody has the number that was drawn");
}
