/* The main thread waits for a word to change, with a limit. Bug: not long enough. */
#define _GNU_SOURCE
#include "limit.h"
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;

static void *change(void *unused)
{
    (void)unused;
    atomic_store(&word, 1);
    syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
    return NULL;
}

int main(void)
{
    pthread_t changer;
    struct timespec limit = {LIMIT_MS / 1000, LIMIT_MS % 1000 * 1000000L};

    pthread_create(&changer, NULL, change, NULL);
    while (atomic_load(&word) == 0) {
        long result = syscall(SYS_futex, &word, FUTEX_WAIT, 0, &limit, NULL, 0);
        assert(result == 0 || errno != ETIMEDOUT);
    }
    pthread_join(changer, NULL);
    return 0;
}
