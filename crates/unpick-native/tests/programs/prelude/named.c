// The first thread tells who it is before it creates others: it has a name, and nobody may wait for it.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_t first;
static atomic_int value;

static void *work(void *unused) {
    assert(pthread_join(first, 0) == EINVAL);
    int seen = value;
    value = seen + 1;
    return unused;
}

int main(void) {
    pthread_t tasks[2];
    first = pthread_self();
    assert(pthread_detach(first) == 0 && pthread_setname_np(first, "the first") == 0);
    for (int i = 0; i < 2; i++) pthread_create(&tasks[i], 0, work, 0);
    for (int i = 0; i < 2; i++) pthread_join(tasks[i], 0);
    assert(value == 2);
    return 0;
}
