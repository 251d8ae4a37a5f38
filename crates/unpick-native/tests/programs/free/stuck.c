// Two threads that wait for each other for ever, whatever happens: each takes its own lock, and both have
// theirs before either goes on.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t both;

static void *take_the_other(void *argument) {
    long own = (long)argument;
    pthread_mutex_lock(&locks[own]);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&locks[1 - own]);
    return NULL;
}

int main(void) {
    puts("waiting");
    fflush(stdout);
    pthread_barrier_init(&both, NULL, 2);
    pthread_t threads[2];
    for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, take_the_other, (void *)i);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return 0;
}
