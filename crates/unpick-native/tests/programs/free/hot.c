// The same operations again and again, and how long each took: the least of several rounds, in nanoseconds
// of processor time. The argument is how many there are in a round.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static atomic_long number;
static volatile long plain;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

// Written out each time, so that nothing but the operation stands in the loop.
#define MEASURE(name, operation)                                     \
    do {                                                             \
        double least = 1e18;                                         \
        for (int round = 0; round < 9; round++) {                    \
            double start = now();                                    \
            for (long i = 0; i < count; i++) operation;              \
            double took = (now() - start) / (double)count;           \
            if (took < least) least = took;                          \
        }                                                            \
        printf("%s %.2f\n", name, least);                            \
    } while (0)

int main(int argument_count, char **arguments) {
    long count = argument_count > 1 ? atol(arguments[1]) : 1000;
    sem_init(&semaphore, 0, 0);
    MEASURE("mutex", (pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex)));
    MEASURE("semaphore", (sem_post(&semaphore), sem_wait(&semaphore)));
    MEASURE("update", atomic_fetch_add(&number, 1));
    MEASURE("write", plain = 1);
    return 0;
}
