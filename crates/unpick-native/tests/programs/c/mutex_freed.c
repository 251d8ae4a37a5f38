// A mutex is destroyed and freed while another thread may still be about to lock it.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t *mutex;

static void *lock(void *none) {
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return none;
}

int main(void) {
    mutex = malloc(sizeof *mutex);
    pthread_mutex_init(mutex, 0);
    pthread_t other;
    pthread_create(&other, 0, lock, 0);
    lock(0);
#ifdef FIXED
    pthread_join(other, 0);
#endif
    pthread_mutex_destroy(mutex);
    free(mutex);
#ifndef FIXED
    pthread_join(other, 0);
#endif
    return 0;
}
