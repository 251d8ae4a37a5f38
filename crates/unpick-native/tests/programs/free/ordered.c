// The kind of bug of Transmission: a handle is used by one thread before the other has made it. Depth 1.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int handle, used_too_early;

static void *user(void *argument) {
    (void)argument;
    if (!atomic_load(&handle))
        atomic_store(&used_too_early, 1);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, user, 0);
    atomic_int own = 0;
    for (int turn = 0; turn < 20; turn++)
        atomic_fetch_add(&own, 1);
    atomic_store(&handle, 1);
    pthread_join(thread, 0);
    return atomic_load(&used_too_early);
}
