// The kind of bug of NSPR: two locks taken in two orders. Depth 2. Who finds the second one taken for long says so.
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static atomic_int holding, crossed;

static void *task(void *argument) {
    int first = (int)(long)argument;
    pthread_mutex_lock(&locks[first]);
    atomic_fetch_add(&holding, 1);
    if (atomic_load(&holding) == 2)
        atomic_store(&crossed, 1); /* each has its first lock: a deadlock, if they went on */
    if (!atomic_load(&crossed) && pthread_mutex_trylock(&locks[1 - first]) == 0)
        pthread_mutex_unlock(&locks[1 - first]);
    atomic_fetch_sub(&holding, 1);
    pthread_mutex_unlock(&locks[first]);
    return 0;
}

int main(void) {
    pthread_t threads[2];
    for (long thread = 0; thread < 2; thread++)
        pthread_create(&threads[thread], 0, task, (void *)thread);
    for (long thread = 0; thread < 2; thread++)
        pthread_join(threads[thread], 0);
    return atomic_load(&crossed);
}
