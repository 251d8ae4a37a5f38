/* liveness: a server has room for a few clients. One that finds no room suspends itself, and a client that leaves
   wakes one of the suspended. Looking for room and suspending are two steps: who suspends after the last one has
   looked sleeps for ever. Starvation.
   Arguments: clients (5), room (1). */
#include "ibm.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;
static int running, room, suspended, served;

static int enter(void) {
    pthread_mutex_lock(&lock);
    int has_room = running < room;
    running += has_room;
    pthread_mutex_unlock(&lock);
    return has_room;
}

static void *client(void *argument) {
    (void)argument;
    while (!enter()) {
        /* The last client may leave here, and look for the suspended in vain. */
        pthread_mutex_lock(&lock);
        suspended++;
        int before = suspended;
        while (suspended >= before)
            pthread_cond_wait(&woken, &lock);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    served++;
    running--;
    if (suspended > 0) {
        suspended = 0;
        pthread_cond_broadcast(&woken);
    }
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv) {
    int client_count = size_of(argc, argv, 1, 5);
    room = size_of(argc, argv, 2, 1);
    for (int number = 0; number < client_count; number++)
        start(client, number);
    join_all();
    return verdict(served == client_count, "every client was served");
}
