/* An atomic operation through a pointer that is null if the other thread is late. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int number;
static _Atomic(atomic_int *) place;

static void *publish(void *unused) {
    atomic_store(&place, &number);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, publish, 0);
    atomic_fetch_add(atomic_load(&place), 1);
    pthread_join(thread, 0);
    return 0;
}
