// A worker appends to a buffer that has no room for the last entry: one byte behind a block of the heap,
// which has bytes left that were not asked for.
#include <pthread.h>
#include <stdlib.h>

#ifdef FIXED
#define ROOM 14
#else
#define ROOM 13
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *buffer;
static int used;

static void *append(void *letter) {
    for (int i = 0; i < 7; i++) {
        pthread_mutex_lock(&lock);
        buffer[used++] = *(char *)letter;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    buffer = malloc(ROOM);
    pthread_t one, other;
    pthread_create(&one, 0, append, "a");
    pthread_create(&other, 0, append, "b");
    pthread_join(one, 0);
    pthread_join(other, 0);
    free(buffer);
    return 0;
}
