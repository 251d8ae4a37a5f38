/* piper: passengers are put into the seats of a plane, others leave them. A thread that is woken does not look again
   whether there is room, so that a plane is overbooked, or one leaves that is not there. Wait without a loop.
   Arguments: pairs of threads (4), passengers each (3), seats (6). */
#include "ibm.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static volatile int taken, wrong;
static int seats, each;

static void *boarding(void *argument) {
    (void)argument;
    for (int passenger = 0; passenger < each; passenger++) {
        pthread_mutex_lock(&lock);
        if (taken == seats) /* should be a loop */
            pthread_cond_wait(&changed, &lock);
        taken++;
        if (taken > seats)
            wrong = 1;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *leaving(void *argument) {
    (void)argument;
    for (int passenger = 0; passenger < each; passenger++) {
        pthread_mutex_lock(&lock);
        if (taken <= 0)
            pthread_cond_wait(&changed, &lock);
        taken--;
        if (taken < 0)
            wrong = 1;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv) {
    int pair_count = size_of(argc, argv, 1, 4);
    each = size_of(argc, argv, 2, 3);
    seats = size_of(argc, argv, 3, 6);
    for (int number = 0; number < pair_count; number++) {
        start(boarding, number);
        start(leaving, number);
    }
    join_all();
    return verdict(!wrong && taken == 0, "nobody sits on another");
}
