/* Takes long before it comes to its beginning: longer than the driver waits between two looks. */
#include <pthread.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void dawdle(void) {
    struct timespec time = {0, 150000000};
    nanosleep(&time, NULL);
}

static void *work(void *unused) {
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    work(NULL);
    return pthread_join(worker, NULL);
}
