/* dcl: agents get a ticket office by double-checked locking. The pointer is published before what it points to is
   filled in, and the first check is made without the lock. Stale value.
   Arguments: agents (8). */
#include "ibm.h"

struct office { volatile int seats; volatile int is_open; };
static struct office made;
static struct office *volatile office;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int unfinished;

static struct office *get(void) {
    if (!office) {
        pthread_mutex_lock(&lock);
        if (!office) {
            office = &made; /* visible to others from here on */
            made.seats = 100;
            made.is_open = 1;
        }
        pthread_mutex_unlock(&lock);
    }
    return office;
}

static void *agent(void *argument) {
    (void)argument;
    struct office *seen = get();
    if (seen->seats != 100 || !seen->is_open)
        unfinished = 1;
    return NULL;
}

int main(int argc, char **argv) {
    int agent_count = size_of(argc, argv, 1, 8);
    for (int number = 0; number < agent_count; number++)
        start(agent, number);
    join_all();
    return verdict(!unfinished, "nobody saw an unfinished office");
}
