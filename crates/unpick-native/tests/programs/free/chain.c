// A chain of threads that ends in the wrong order: the last one first. Depth 2, and the first thread must be held back
// from its very first step after it has created another.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int last_done, middle_done;

static void *last(void *argument) {
    (void)argument;
    atomic_store(&last_done, 1);
    return 0;
}

static void *middle(void *argument) {
    (void)argument;
    pthread_t thread;
    pthread_create(&thread, 0, last, 0);
    if (atomic_load(&last_done))
        atomic_store(&middle_done, 1);
    pthread_join(thread, 0);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, middle, 0);
    int failed = atomic_load(&middle_done);
    pthread_join(thread, 0);
    return failed;
}
