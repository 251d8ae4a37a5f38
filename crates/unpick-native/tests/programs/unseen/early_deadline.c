/* A wait with a deadline a microsecond ahead times out although the other thread signals. */
#include <assert.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex;
static cnd_t condition;
static int is_ready;

static int signal_it(void *unused) {
    (void)unused;
    mtx_lock(&mutex);
    is_ready = 1;
    cnd_signal(&condition);
    mtx_unlock(&mutex);
    return 0;
}

int main(void) {
    thrd_t thread;
    struct timespec limit;
    mtx_init(&mutex, mtx_plain);
    cnd_init(&condition);
    thrd_create(&thread, signal_it, 0);
    mtx_lock(&mutex);
    timespec_get(&limit, TIME_UTC);
    limit.tv_nsec = (limit.tv_nsec + 1000) % 1000000000;
    if (!is_ready)
        cnd_timedwait(&condition, &mutex, &limit);
    assert(is_ready);
    mtx_unlock(&mutex);
    thrd_join(thread, 0);
    return 0;
}
