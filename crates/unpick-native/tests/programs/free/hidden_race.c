// One thread sets a total and then takes a lock; the other takes the lock and then sets the total. If the first one
// is first, its unlock comes before the lock of the other, and the two writes are in order. Otherwise they race.
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static int entered[2];

static void enter(int thread) {
    pthread_mutex_lock(&lock);
    entered[thread] = 1;
    pthread_mutex_unlock(&lock);
}

static void *before(void *argument) {
    total = 1;
    enter(0);
    return argument;
}

static void *after(void *argument) {
    enter(1);
    total = 2;
    return argument;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, before, NULL);
    pthread_create(&second, NULL, after, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return total > 0 && entered[0] && entered[1] ? 0 : 1;
}
