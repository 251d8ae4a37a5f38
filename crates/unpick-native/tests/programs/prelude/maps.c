// Each execution maps the same page, which the last one must not have left behind. That is all it asks of the
// kernel, and the runtime asks on its behalf.
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>

static void *work(void *place) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE;
    assert(mmap(place, 4096, PROT_READ | PROT_WRITE, flags, -1, 0) == place);
    return 0;
}

int main(void) {
    pthread_t task;
    pthread_create(&task, 0, work, (void *)0x123450000000);
    pthread_join(task, 0);
}
