/* An object of POSIX threads is made while another thread uses it already (KIND 1 to 4), or is used after its end (5 to 9). */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;
static int count, is_ready;
static atomic_int is_over;

static void *use(void *unused) {
#if KIND == 1
    sem_post(&semaphore);
#elif KIND == 2
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
#elif KIND == 3
    pthread_mutex_lock(&mutex);
    is_ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
#elif KIND == 4
    pthread_spin_lock(&spin);
    count++;
    pthread_spin_unlock(&spin);
#elif KIND == 5
    if (is_over) pthread_mutex_lock(&mutex);
#elif KIND == 6
    if (is_over) pthread_cond_signal(&condition);
#elif KIND == 7
    if (is_over) pthread_rwlock_rdlock(&lock);
#elif KIND == 8
    if (is_over) sem_post(&semaphore);
#elif KIND == 9
    if (is_over) pthread_spin_lock(&spin);
#endif
    return unused;
}

static void make(void) {
#if KIND == 1
    sem_init(&semaphore, 0, 0);
#elif KIND == 2
    pthread_mutex_init(&mutex, 0);
#elif KIND == 4
    pthread_spin_init(&spin, 0);
#elif KIND == 8
    sem_init(&semaphore, 0, 0);
#endif
}

int main(void) {
    pthread_t thread;
#ifdef FIXED
    make();
#endif
    pthread_create(&thread, 0, use, 0);
#ifndef FIXED
    make();
#endif
#if KIND == 1
    sem_wait(&semaphore);
#elif KIND == 2
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
#elif KIND == 3
#ifndef FIXED
    pthread_cond_init(&condition, 0);
#endif
    pthread_mutex_lock(&mutex);
    while (!is_ready)
        pthread_cond_wait(&condition, &mutex);
#ifndef FIXED
    pthread_cond_init(&condition, 0);
    pthread_cond_wait(&condition, &mutex);
#endif
    pthread_mutex_unlock(&mutex);
#elif KIND == 4
    pthread_spin_lock(&spin);
    count++;
    pthread_spin_unlock(&spin);
#else
#ifdef FIXED
    pthread_join(thread, 0);
#endif
    pthread_mutex_destroy(&mutex);
    pthread_cond_destroy(&condition);
    pthread_rwlock_destroy(&lock);
    sem_destroy(&semaphore);
    pthread_spin_destroy(&spin);
    is_over = 1;
#ifdef FIXED
    return 0;
#endif
#endif
    pthread_join(thread, 0);
    return 0;
}
