// Known numbers of every operation: those of each thread, and those of the first one.
// The argument is how often each thread reads and writes plain memory.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 3 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t semaphore;
static atomic_int number;
static volatile int plain[THREADS * 64];
static int repetitions;

static void initialise(void) {}

static void *work(void *argument) {
    long own = (long)argument;
    pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;
    sem_t empty;
    sem_init(&empty, 0, 0);
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
    for (int i = 0; i < 2; i++) {
        pthread_spin_lock(&spin);
        pthread_spin_unlock(&spin);
    }
    for (int i = 0; i < 3; i++) {
        if (pthread_mutex_trylock(&mine) == 0) pthread_mutex_unlock(&mine);
    }
    for (int i = 0; i < 4; i++) {
        pthread_rwlock_rdlock(&rwlock);
        pthread_rwlock_unlock(&rwlock);
    }
    for (int i = 0; i < 2; i++) {
        pthread_rwlock_wrlock(&rwlock);
        pthread_rwlock_unlock(&rwlock);
    }
    for (int i = 0; i < 3; i++) {
        sem_post(&semaphore);
        sem_wait(&semaphore);
    }
    sem_trywait(&empty);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 4; i++) pthread_once(&once, initialise);
    pthread_cond_signal(&condition);
    pthread_cond_signal(&condition);
    pthread_cond_broadcast(&condition);
    for (int i = 0; i < 6; i++) (void)atomic_load(&number);
    for (int i = 0; i < 5; i++) atomic_store(&number, i);
    for (int i = 0; i < 4; i++) atomic_fetch_add(&number, 1);
    int expected = 77;
    atomic_compare_exchange_strong(&number, &expected, 78);
    atomic_thread_fence(memory_order_seq_cst);
    for (int i = 0; i < repetitions; i++) {
        int value = plain[own * 64];
        plain[own * 64] = value + 1;
    }
    return NULL;
}

int main(int count, char **arguments) {
    repetitions = count > 1 ? atoi(arguments[1]) : 0;
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_barrier_init(&barrier, NULL, THREADS);
    sem_init(&semaphore, 0, 0);
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    struct timespec past = {1, 0};
    pthread_mutex_lock(&mutex);
    int late = pthread_cond_timedwait(&condition, &mutex, &past);
    pthread_mutex_unlock(&mutex);
    int ends[2];
    char byte = 'x';
    if (late != ETIMEDOUT || pipe(ends) != 0) return 1;
    for (int i = 0; i < 2; i++) {
        if (write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1) return 1;
    }
    struct pollfd asked = {.fd = ends[0], .events = POLLIN};
    poll(&asked, 1, 0);
    for (int i = 0; i < 3; i++) sched_yield();
    usleep(1);
    return 0;
}
