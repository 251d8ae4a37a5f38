/* Started without unpick: four threads count with every kind of atomic operation, at once. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 100000 };

static atomic_int added;
static atomic_long exchanged;
static atomic_uchar narrow;
static _Atomic unsigned short toggled;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static long guarded;

static void *count(void *argument) {
    for (int round = 0; round < ROUNDS; round++) {
        atomic_fetch_add(&added, 1);
        long seen = atomic_load(&exchanged);
        while (!atomic_compare_exchange_weak(&exchanged, &seen, seen + 1)) {
        }
        atomic_fetch_add(&narrow, 1);
        atomic_fetch_xor(&toggled, 1);
        while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {
        }
        guarded++;
        atomic_flag_clear_explicit(&lock, memory_order_release);
    }
    return argument;
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, count, NULL);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    long all = (long)THREADS * ROUNDS;
    int is_right = added == all && exchanged == all && guarded == all && toggled == 0 &&
                   narrow == (unsigned char)all;
    printf("%d %ld %ld\n", added, exchanged, guarded);
    return !is_right;
}
