/* producerconsumer: a producer and a consumer a pair, each with a counter of its own. The consumer counts also when
   there was nothing to take, and so comes ahead of the producer. Missing wait.
   Arguments: pairs (4), items (5). */
#include "ibm.h"

static volatile int produced[THREADS_MAX], consumed[THREADS_MAX], ahead;
static int item_count;

static void *producer(void *argument) {
    for (int item = 0; item < item_count; item++)
        produced[(long)argument]++;
    return NULL;
}

static void *consumer(void *argument) {
    long own = (long)argument;
    for (int item = 0; item < item_count; item++) {
        consumed[own]++; /* whether or not there is something */
        if (consumed[own] > produced[own])
            ahead = 1;
    }
    return NULL;
}

int main(int argc, char **argv) {
    int pair_count = size_of(argc, argv, 1, 4);
    item_count = size_of(argc, argv, 2, 5);
    for (int number = 0; number < pair_count; number++) {
        start(consumer, number);
        start(producer, number);
    }
    join_all();
    return verdict(!ahead, "nothing was taken before it was there");
}
