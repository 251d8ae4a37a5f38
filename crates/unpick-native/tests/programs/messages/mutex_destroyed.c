// A mutex is destroyed and freed while another thread is about to lock it.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t *mutex;

static void *lock_it(void *argument) {
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return argument;
}

int main(void) {
    pthread_t thread;
    mutex = malloc(sizeof *mutex);
    pthread_mutex_init(mutex, 0);
    pthread_create(&thread, 0, lock_it, 0);
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    pthread_mutex_destroy(mutex);
    free(mutex);
    pthread_join(thread, 0);
    return 0;
}
