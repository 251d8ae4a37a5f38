// The first thread waits busily for a flag that the other one sets, after a few operations.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag, steps;

static void *setter(void *argument) {
    (void)argument;
    for (int step = 0; step < 5; step++)
        atomic_fetch_add(&steps, 1);
    atomic_store(&flag, 1);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, setter, 0);
    while (!atomic_load(&flag)) {
    }
    pthread_join(thread, 0);
    return 0;
}
