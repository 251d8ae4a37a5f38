// Functions of the C library that a compiler may write out in place: one of them fills what another thread reads.
#include <pthread.h>
#include <string.h>

#ifndef FILL
#define FILL memset(shared, 'x', sizeof shared)
#endif

static char shared[64], given[64] = "something longer than a few words";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *fill(void *none) {
    pthread_mutex_lock(&lock);
    FILL;
    pthread_mutex_unlock(&lock);
    return none;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, fill, 0);
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    char seen = *(volatile char *)&shared[1];
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    pthread_join(other, 0);
    return given[0] == seen;
}
