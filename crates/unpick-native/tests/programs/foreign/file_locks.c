// Two locks on files, which unpick knows nothing of, taken in opposite order. Fixed: in one order.
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

static int files[2];
static int balance;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// Locks belong to what was opened, so that every task opens the file anew.
static int take(int which) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", files[which]);
    int file = open(path, O_RDWR | O_CLOEXEC);
    assert(file >= 0 && flock(file, LOCK_EX) == 0);
    return file;
}

static void *transfer(void *first) {
    int from = take(first != 0);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    int to = take(first == 0);
    __atomic_fetch_add(&balance, 1, __ATOMIC_SEQ_CST);
    close(to);
    close(from);
    return 0;
}

int main(void) {
    pthread_t tasks[2];
    for (int i = 0; i < 2; i++) files[i] = memfd_create("account", 0);
#ifdef FIXED
    void *orders[2] = {0, 0};
#else
    void *orders[2] = {0, files};
#endif
    for (int i = 0; i < 2; i++) pthread_create(&tasks[i], 0, transfer, orders[i]);
    for (int i = 0; i < 2; i++) pthread_join(tasks[i], 0);
    assert(balance == 2);
    return 0;
}
