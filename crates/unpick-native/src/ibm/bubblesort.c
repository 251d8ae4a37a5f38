/* bubblesort: one thread a pass over the array. A pass may overtake the one before it, because locks protect single
   exchanges only. Order violation.
   Arguments: numbers (12). */
#include "ibm.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int numbers[THREADS_MAX];
static int count;

static void *pass(void *argument) {
    int last = count - 1 - (int)(long)argument;
    for (int place = 0; place < last; place++) {
        pthread_mutex_lock(&lock);
        if (numbers[place] > numbers[place + 1]) {
            int kept = numbers[place];
            numbers[place] = numbers[place + 1];
            numbers[place + 1] = kept;
        }
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv) {
    count = size_of(argc, argv, 1, 12);
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
