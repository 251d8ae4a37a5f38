/* critical: two threads guard a section by a turn and flags that are not atomic together; both can be inside, or
   each waits for the other. Waiting is bounded by a watchdog. Data race and deadlock.
   Arguments: entries each (3), turns of a wait (100000). */
#include "ibm.h"

static volatile int wants[2], inside, clash, is_stuck;
static int entries, turns_max;

static void *visitor(void *argument) {
    int own = (int)(long)argument, other = 1 - own;
    for (int entry = 0; entry < entries; entry++) {
        int turns = 0;
        while (wants[other] && turns < turns_max)
            turns++;
        if (turns == turns_max)
            is_stuck = 1;
        wants[own] = 1; /* the other may have seen that we did not want yet */
        inside++;
        if (inside != 1)
            clash = 1;
        inside--;
        wants[own] = 0;
    }
    return NULL;
}

int main(int argc, char **argv) {
    entries = size_of(argc, argv, 1, 3);
    turns_max = size_of(argc, argv, 2, 100000);
    start(visitor, 0);
    start(visitor, 1);
    join_all();
    return verdict(!clash && !is_stuck && inside == 0, "one at a time in the critical section");
}
