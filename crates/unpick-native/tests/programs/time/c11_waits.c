/* As condition.c and locks.c, with the threads of C11. Bug: not long enough. */
#include "limit.h"
#include <assert.h>
#include <stdatomic.h>
#include <stddef.h>
#include <threads.h>

static mtx_t lock;
static cnd_t changed;
static int stage;
static atomic_int flag;

static int work(void *unused)
{
    (void)unused;
    mtx_lock(&lock);
    stage = 1;
    cnd_signal(&changed);
    mtx_unlock(&lock);
    atomic_store(&flag, 1);
    return 0;
}

int main(void)
{
    thrd_t worker;
    struct timespec until, nap = {LIMIT_MS / 1000, LIMIT_MS % 1000 * 1000000L};
    int result = thrd_success;

    until = moment(CLOCK_REALTIME);
    mtx_init(&lock, mtx_timed);
    cnd_init(&changed);
    thrd_create(&worker, work, NULL);
    assert(mtx_timedlock(&lock, &until) == thrd_success);
    while (stage == 0 && result == thrd_success)
        result = cnd_timedwait(&changed, &lock, &until);
    assert(result == thrd_success);
    mtx_unlock(&lock);
    thrd_sleep(&nap, NULL);
    assert(atomic_load(&flag) == 1);
    thrd_join(worker, NULL);
    return 0;
}
