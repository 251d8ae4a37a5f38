/* bubblesort2: one thread a pass, and each sleeps a little longer than the one before it, which is all that keeps
   them in order. Sleep instead of synchronisation.
   Arguments: numbers (8), sleep of each pass in microseconds (300). */
#include "ibm.h"

static volatile int numbers[THREADS_MAX];
static int count, sleep_us;

static void *pass(void *argument) {
    int number = (int)(long)argument;
    usleep((unsigned)(number * sleep_us));
    for (int place = 0; place < count - 1 - number; place++) {
        if (numbers[place] > numbers[place + 1]) {
            int kept = numbers[place];
            numbers[place] = numbers[place + 1];
            numbers[place + 1] = kept;
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    count = size_of(argc, argv, 1, 8);
    sleep_us = size_of(argc, argv, 2, 300);
    if (count > THREADS_MAX)
        count = THREADS_MAX;
    for (int place = 0; place < count; place++)
        numbers[place] = count - place;
    for (int number = 0; number < count - 1; number++)
        start(pass, number);
    join_all();
    int is_sorted = 1;
    for (int place = 0; place + 1 < count; place++)
        is_sorted &= numbers[place] <= numbers[place + 1];
    return verdict(is_sorted, "the numbers are in order");
}
