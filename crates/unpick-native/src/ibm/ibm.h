/* What the programs of the benchmark have in common: sizes as arguments, threads, and a verdict that
   the exit code tells. 0: all is well; 1: the bug has shown. A deadlock does not end. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define THREADS_MAX 1024

static pthread_t ibm_threads[THREADS_MAX];
static int ibm_thread_count;

/* The number that is argument `place`, or what it is by default. */
static inline int size_of(int argc, char **argv, int place, int otherwise) {
    int size = argc > place ? atoi(argv[place]) : otherwise;
    if (size < 1) {
        fprintf(stderr, "argument %d must be a number from 1 on\n", place);
        exit(2);
    }
    return size;
}

static inline void start(void *(*body)(void *), long number) {
    if (ibm_thread_count == THREADS_MAX) {
        fprintf(stderr, "at most %d threads\n", THREADS_MAX);
        exit(2);
    }
    if (pthread_create(&ibm_threads[ibm_thread_count], NULL, body, (void *)number) != 0) {
        fprintf(stderr, "cannot start a thread\n");
        exit(2);
    }
    ibm_thread_count++;
}

static inline void join_all(void) {
    for (int thread = 0; thread < ibm_thread_count; thread++)
        pthread_join(ibm_threads[thread], NULL);
    ibm_thread_count = 0;
}

/* Says whether the bug has shown, and ends the program. */
static inline int verdict(int is_well, const char *what) {
    printf("%s: %s\n", is_well ? "well" : "bug", what);
    fflush(stdout);
    return is_well ? 0 : 1;
}
