// Threads that work on their own, with an atomic operation now and then: argv[1] threads, argv[2] operations each,
// argv[3] turns of work before each.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_long done[64];
static long operations, turns;

static void *work(void *argument) {
    long own = (long)argument, sum = own;
    for (long operation = 0; operation < operations; operation++) {
        for (long turn = 0; turn < turns; turn++)
            __asm__ volatile("imulq $3, %0, %0" : "+r"(sum));
        atomic_fetch_add(&done[own], 1);
    }
    return NULL;
}

int main(int argc, char **argv) {
    long threads = argc > 1 ? atol(argv[1]) : 3;
    operations = argc > 2 ? atol(argv[2]) : 1000;
    turns = argc > 3 ? atol(argv[3]) : 1000;
    pthread_t all[64];
    for (long thread = 0; thread < threads; thread++)
        pthread_create(&all[thread], NULL, work, (void *)thread);
    for (long thread = 0; thread < threads; thread++)
        pthread_join(all[thread], NULL);
    return 0;
}
