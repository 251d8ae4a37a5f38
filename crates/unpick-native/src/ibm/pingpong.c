/* pingpong: players take a shared reference, set it to null, wait a moment and put it back. Who comes meanwhile finds
   nothing. Order violation.
   Arguments: players (4), rounds (2). */
#include "ibm.h"
#include <sched.h>

static int ball;
static int *volatile shared_ball = &ball;
static volatile int missed;
static int round_count;

static void *player(void *argument) {
    (void)argument;
    for (int round = 0; round < round_count; round++) {
        int *own = shared_ball;
        if (!own) { /* where the original dereferences null */
            missed = 1;
            continue;
        }
        shared_ball = NULL;
        sched_yield();
        shared_ball = own;
    }
    return NULL;
}

int main(int argc, char **argv) {
    int player_count = size_of(argc, argv, 1, 4);
    round_count = size_of(argc, argv, 2, 2);
    for (int number = 0; number < player_count; number++)
        start(player, number);
    join_all();
    return verdict(!missed, "nobody missed the ball");
}
