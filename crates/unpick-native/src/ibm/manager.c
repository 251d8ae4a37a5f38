/* manager: workers ask a handler for memory by a flag and wait for it busily, the handler takes the flag down when it
   has served one. Two that set the flag at once are served once, and one of them waits for ever; waiting is bounded.
   Data race and deadlock.
   Arguments: workers (5), turns of a wait (2000). */
#include "ibm.h"
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int is_asked, is_over, served[THREADS_MAX], asked_by;
static volatile int starved;
static int turns_max;

static void *handler(void *argument) {
    (void)argument;
    while (!is_over) {
        if (is_asked) {
            served[asked_by] = 1;
            is_asked = 0;
        }
        sched_yield();
    }
    return NULL;
}

static void *worker(void *argument) {
    int own = (int)(long)argument, turns = 0;
    while (is_asked && turns++ < turns_max)
        sched_yield();
    asked_by = own; /* another one may have seen the flag down as well */
    is_asked = 1;
    for (turns = 0; !served[own] && turns < turns_max; turns++)
        sched_yield();
    if (!served[own]) {
        pthread_mutex_lock(&lock);
        starved++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv) {
    int worker_count = size_of(argc, argv, 1, 5);
    turns_max = size_of(argc, argv, 2, 2000);
    pthread_t handling;
    pthread_create(&handling, NULL, handler, NULL);
    for (int number = 0; number < worker_count; number++)
        start(worker, number);
    join_all();
    is_over = 1;
    pthread_join(handling, NULL);
    return verdict(starved == 0, "every worker was served");
}
