// The first thread looks whether the other one has done its work, and does not wait for it: it is always
// too early, unless something holds it up.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int done;

static void *work(void *argument) {
    usleep(5000);
    atomic_store(&done, 1);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    assert(atomic_load(&done) == 1);
    pthread_join(thread, NULL);
    return 0;
}
