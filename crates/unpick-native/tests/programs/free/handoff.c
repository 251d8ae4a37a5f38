// The first thread wakes another one, in the way that argv[1] names, and looks whether that one has gone on to its end.
// A first thread of low priority must find that it has: whoever is woken goes before it. 1: it has not.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t permits;
static pthread_t worker;
static int is_ready;
static atomic_int steps, is_done;
static const char *way;

static void *work(void *argument) {
    for (int step = 0; step < 20; step++)
        atomic_fetch_add(&steps, 1);
    return argument;
}

static void *waiter(void *argument) {
    if (strcmp(way, "lock") == 0) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    } else if (strcmp(way, "notify") == 0) {
        pthread_mutex_lock(&lock);
        while (!is_ready)
            pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
    } else if (strcmp(way, "release") == 0) {
        sem_wait(&permits);
    } else {
        pthread_join(worker, 0);
    }
    work(0);
    atomic_store(&is_done, 1);
    return argument;
}

int main(int argc, char **argv) {
    pthread_t thread;
    way = argc > 1 ? argv[1] : "lock";
    sem_init(&permits, 0, 0);
    pthread_mutex_lock(&lock);
    if (strcmp(way, "end") == 0)
        pthread_create(&worker, 0, work, 0);
    else if (strcmp(way, "lock") != 0)
        pthread_mutex_unlock(&lock);
    pthread_create(&thread, 0, waiter, 0);
    if (strcmp(way, "notify") == 0) {
        pthread_mutex_lock(&lock);
        is_ready = 1;
        pthread_cond_signal(&changed);
    }
    if (strcmp(way, "release") == 0)
        sem_post(&permits);
    else
        pthread_mutex_unlock(&lock);
    int was_done = atomic_load(&is_done);
    pthread_join(thread, 0);
    return !was_done;
}
