// A record is copied as a whole while another thread clears it: both by functions of the C library.
#include <pthread.h>
#include <string.h>

static char record[512], copy[512];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile size_t size = sizeof record;

static void *take(void *none) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    memcpy(copy, record, size);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return none;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, take, 0);
    pthread_mutex_lock(&lock);
    memset(record, 1, size);
    pthread_mutex_unlock(&lock);
    pthread_join(other, 0);
    return 0;
}
