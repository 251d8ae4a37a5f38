// A mutex as a signal: the thread that waits locks it again, the other one unlocks it. glibc lets it.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int is_ready;

static void *make_ready(void *argument) {
    is_ready = 1;
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, 0, make_ready, 0);
    pthread_mutex_lock(&mutex);
    assert(is_ready);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
    return 0;
}
