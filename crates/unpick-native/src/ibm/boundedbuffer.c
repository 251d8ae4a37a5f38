/* boundedbuffer: producers and consumers wait at one condition variable, and a single one is woken. If that is one
   of the same kind, everybody waits for ever. Deadlock.
   Arguments: producers (3), consumers (3), items each (4), room (2). */
#include "ibm.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int filled, room, each;

static void *producer(void *argument) {
    (void)argument;
    for (int item = 0; item < each; item++) {
        pthread_mutex_lock(&lock);
        while (filled == room)
            pthread_cond_wait(&changed, &lock);
        filled++;
        pthread_cond_signal(&changed); /* should be a broadcast */
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *consumer(void *argument) {
    long count = (long)argument;
    for (long item = 0; item < count; item++) {
        pthread_mutex_lock(&lock);
        while (filled == 0)
            pthread_cond_wait(&changed, &lock);
        filled--;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv) {
    int producers = size_of(argc, argv, 1, 3), consumers = size_of(argc, argv, 2, 3);
    each = size_of(argc, argv, 3, 4);
    room = size_of(argc, argv, 4, 2);
    long total = (long)producers * each;
    for (int number = 0; number < producers; number++)
        start(producer, 0);
    for (int number = 0; number < consumers; number++)
        start(consumer, total / consumers + (number < total % consumers));
    join_all();
    return verdict(filled == 0, "everything was consumed");
}
