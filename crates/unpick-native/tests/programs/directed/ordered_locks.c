// Locks in opposite order, but a semaphore keeps the second task from beginning before the first is done:
// a possible deadlock that no execution has.
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
static sem_t is_done;

static void *one(void *unused) {
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second);
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    sem_post(&is_done);
    return unused;
}

static void *other(void *unused) {
    sem_wait(&is_done);
    pthread_mutex_lock(&second);
    pthread_mutex_lock(&first);
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
    return unused;
}

int main(void) {
    pthread_t tasks[2];
    sem_init(&is_done, 0, 0);
    pthread_create(&tasks[0], 0, one, 0);
    pthread_create(&tasks[1], 0, other, 0);
    for (int i = 0; i < 2; i++) pthread_join(tasks[i], 0);
    return 0;
}
