/* Two threads that count for long. With -DFIXED the assertion at the end holds. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef TURNS
#define TURNS 1500000
#endif
static atomic_long count;

static void *work(void *unused) {
    for (int turn = 0; turn < TURNS; turn++)
        count++;
    return unused;
}

int main(void) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
#ifdef FIXED
    assert(count == 2 * TURNS);
#else
    assert(count != 2 * TURNS);
#endif
    return 0;
}
