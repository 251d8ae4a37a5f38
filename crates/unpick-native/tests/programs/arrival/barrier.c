/* Three threads at a barrier for two. Main can be held up between sem_post and its first wait: the others
   then pass together, and nobody is left for main. */
#include <pthread.h>
#include <semaphore.h>

static pthread_barrier_t barrier;
static sem_t started;

static void *one(void *unused) {
    pthread_barrier_wait(&barrier);
    return unused;
}

static void *two(void *unused) {
    sem_wait(&started);
    pthread_barrier_wait(&barrier);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&started, 0, 0);
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    sem_post(&started);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
