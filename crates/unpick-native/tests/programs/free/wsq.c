// The kind of bug of a work-stealing queue: whoever takes an element looks whether there is one, and takes it, in two
// steps. The owner takes from one end, a thief from the other; the last element goes to both. Depth 2.
#include <pthread.h>
#include <stdatomic.h>

#define ITEMS 3
static atomic_int head, tail = ITEMS, taken[ITEMS];

static void *thief(void *argument) {
    (void)argument;
    int place = atomic_load(&head);
    if (place < atomic_load(&tail)) {
        atomic_store(&head, place + 1); /* the owner may have taken it meanwhile */
        atomic_fetch_add(&taken[place], 1);
    }
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, thief, 0);
    for (;;) {
        int place = atomic_load(&tail) - 1;
        if (place < atomic_load(&head))
            break;
        atomic_store(&tail, place);
        atomic_fetch_add(&taken[place], 1);
    }
    pthread_join(thread, 0);
    for (int place = 0; place < ITEMS; place++)
        if (atomic_load(&taken[place]) > 1)
            return 1;
    return 0;
}
