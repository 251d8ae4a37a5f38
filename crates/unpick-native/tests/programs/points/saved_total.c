// A balance is kept in a file. Each call of the system is atomic and nothing is shared in memory, so that
// there is no point between reading and writing unless `save` is one. Fixed: the lock is held for both.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file;

__attribute__((noinline)) static long load(void) {
    long value = 0;
    ssize_t got = pread(file, &value, sizeof value, 0);
    return got == (ssize_t)sizeof value ? value : 0;
}

__attribute__((noinline)) static void save(long value) {
    if (pwrite(file, &value, sizeof value, 0) != (ssize_t)sizeof value) abort();
}

__attribute__((noinline)) void never_called(long *value) {
    *value = load();
}

static void *deposit(void *unused) {
#ifdef FIXED
    pthread_mutex_lock(&lock);
    save(load() + 1);
    pthread_mutex_unlock(&lock);
#else
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    save(load() + 1);
#endif
    return unused;
}

int main(int count, char **arguments) {
    pthread_t tasks[2];
    file = memfd_create("total", 0);
    for (int i = 0; i < 2; i++) pthread_create(&tasks[i], 0, deposit, 0);
    for (int i = 0; i < 2; i++) pthread_join(tasks[i], 0);
    assert(load() == 2);
    if (count > 1000) never_called((long *)arguments);
    return 0;
}
