// Zeroed memory is handed over by a relaxed store: that the zeros are there is not ordered before the read.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifdef FIXED
#define ORDER memory_order_release
#else
#define ORDER memory_order_relaxed
#endif

static _Atomic(long *) box;
static volatile long sum;

static void *look(void *none) {
    long *numbers = atomic_load_explicit(&box, memory_order_acquire);
    if (numbers)
        sum = numbers[40];
    return none;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, look, 0);
    long *numbers = calloc(100, sizeof *numbers);
    atomic_store_explicit(&box, numbers, ORDER);
    pthread_join(other, 0);
    free(numbers);
    return 0;
}
