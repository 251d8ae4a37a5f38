// Sixteen megabytes of statics, of which each execution writes a few pages, by itself and by way of the
// kernel. What an execution finds written was not put back after the one before.
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE (16 << 20)
#define STRIDE (1 << 16)

static char large[SIZE] = {1};
static char zeroes[SIZE / 4];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *which) {
    long start = (long)which * STRIDE * 8 + 77;
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&lock);
        large[start + i * STRIDE]++;
        zeroes[start + i * STRIDE]++;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void) {
    pthread_t tasks[2];
    for (long i = 77; i < SIZE; i += STRIDE) assert(large[i] == 0);
    for (long i = 77; i < SIZE / 4; i += STRIDE) assert(zeroes[i] == 0);
    assert(large[0] == 1 && large[SIZE / 2 + 5] == 0);
    int file = memfd_create("bytes", 0);
    assert(pwrite(file, "abc", 3, 0) == 3);
    assert(pread(file, large + SIZE / 2 + 4, 3, 0) == 3);
    for (long i = 0; i < 2; i++) pthread_create(&tasks[i], 0, work, (void *)i);
    for (long i = 0; i < 2; i++) pthread_join(tasks[i], 0);
    assert(large[77] == 1 && zeroes[77] == 1 && large[SIZE / 2 + 5] == 'b');
    close(file);
    return 0;
}
