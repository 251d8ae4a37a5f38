/* deadlockexception: a bounded number of dividers run at once. One that divides by zero leaves without counting
   itself out; enough of them, and the next one waits for ever. What is divided by is drawn, so that the schedule
   hardly matters. Deadlock.
   Arguments: dividers (20), at once (2), one in so many divides by zero (15). */
#include "ibm.h"
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t left = PTHREAD_COND_INITIALIZER;
static int running, running_max, odds;
static unsigned drawn[THREADS_MAX];

static void *divider(void *argument) {
    pthread_mutex_lock(&lock);
    while (running == running_max)
        pthread_cond_wait(&left, &lock);
    running++;
    pthread_mutex_unlock(&lock);
    if (drawn[(long)argument] % (unsigned)odds == 0)
        return NULL; /* the exception: nobody counts down */
    pthread_mutex_lock(&lock);
    running--;
    pthread_cond_signal(&left);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv) {
    int divider_count = size_of(argc, argv, 1, 20);
    running_max = size_of(argc, argv, 2, 2);
    odds = size_of(argc, argv, 3, 15);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    unsigned state = (unsigned)now.tv_nsec | 1u;
    for (int number = 0; number < divider_count && number < THREADS_MAX; number++) {
        state = state * 1664525u + 1013904223u;
        drawn[number] = state >> 8;
    }
    for (int number = 0; number < divider_count; number++)
        start(divider, number);
    join_all();
    return verdict(1, "all divisions were made");
}
