/* deadlock: threads take two resources each, some in one order and some in the other. Deadlock.
   Arguments: threads (4), rounds (5). */
#include "ibm.h"

static pthread_mutex_t resources[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static volatile int used;
static int round_count;

static void *worker(void *argument) {
    int first = (int)((long)argument % 2);
    for (int round = 0; round < round_count; round++) {
        pthread_mutex_lock(&resources[first]);
        pthread_mutex_lock(&resources[1 - first]);
        used++;
        pthread_mutex_unlock(&resources[1 - first]);
        pthread_mutex_unlock(&resources[first]);
    }
    return NULL;
}

int main(int argc, char **argv) {
    int thread_count = size_of(argc, argv, 1, 4);
    round_count = size_of(argc, argv, 2, 5);
    for (int number = 0; number < thread_count; number++)
        start(worker, number);
    join_all();
    return verdict(used == thread_count * round_count, "everybody got both resources");
}
