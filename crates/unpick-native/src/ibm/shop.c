/* shop: a supplier fills the shelves, main sleeps ten milliseconds, then customers come. If the supplier is not done
   by then, somebody finds nothing; and looking and taking are two steps. Sleep instead of synchronisation.
   Arguments: customers (4), goods (8), sleep in microseconds (10000). */
#include "ibm.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int goods, disappointed;
static int good_count, each;

static void *supplier(void *argument) {
    (void)argument;
    for (int good = 0; good < good_count; good++) {
        pthread_mutex_lock(&lock);
        goods++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static int any_left(void) {
    pthread_mutex_lock(&lock);
    int any = goods > 0;
    pthread_mutex_unlock(&lock);
    return any;
}

static void *customer(void *argument) {
    (void)argument;
    for (int good = 0; good < each; good++) {
        int is_there = any_left();
        pthread_mutex_lock(&lock);
        if (is_there)
            goods--;
        if (!is_there || goods < 0)
            disappointed = 1;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv) {
    int customer_count = size_of(argc, argv, 1, 4);
    good_count = size_of(argc, argv, 2, 8);
    int sleep_us = size_of(argc, argv, 3, 10000);
    each = good_count / customer_count;
    start(supplier, 0);
    usleep((unsigned)sleep_us);
    for (int number = 0; number < customer_count; number++)
        start(customer, number);
    join_all();
    return verdict(!disappointed, "every customer got what there was");
}
