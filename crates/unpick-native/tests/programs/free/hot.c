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

static void lock(void) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void post(void) {
    sem_post(&semaphore);
    sem_wait(&semaphore);
}

static void update(void) { atomic_fetch_add(&number, 1); }
static void store(void) { plain = 1; }
static void nothing(void) {}

static void measure(const char *name, void (*operation)(void), long count) {
    double least = 1e18;
    for (int round = 0; round < 9; round++) {
        double start = now();
        for (long i = 0; i < count; i++) operation();
        double took = (now() - start) / (double)count;
        if (took < least) least = took;
    }
    printf("%s %.2f\n", name, least);
}

int main(int argument_count, char **arguments) {
    long count = argument_count > 1 ? atol(arguments[1]) : 1000;
    sem_init(&semaphore, 0, 0);
    measure("nothing", nothing, count);
    measure("mutex", lock, count);
    measure("semaphore", post, count);
    measure("update", update, count);
    measure("write", store, count);
    return 0;
}
