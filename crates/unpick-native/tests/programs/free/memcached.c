// The kind of bug of memcached: an increment is a get and a set, each of them locked. Depth 2.
#include <pthread.h>

#define THREADS 3
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static int get(void) {
    pthread_mutex_lock(&lock);
    int found = value;
    pthread_mutex_unlock(&lock);
    return found;
}

static void set(int next) {
    pthread_mutex_lock(&lock);
    value = next;
    pthread_mutex_unlock(&lock);
}

static void *client(void *argument) {
    (void)argument;
    set(get() + 1);
    return 0;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int thread = 0; thread < THREADS; thread++)
        pthread_create(&threads[thread], 0, client, 0);
    for (int thread = 0; thread < THREADS; thread++)
        pthread_join(threads[thread], 0);
    return value != THREADS;
}
