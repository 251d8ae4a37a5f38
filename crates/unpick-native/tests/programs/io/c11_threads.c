/* Threads of the C standard: a queue with a condition.
 *
 * Bug: the condition is looked at with `if`.
 * Fails when a third one takes the item between the signal and the wake-up.
 * Fix: `while`.
 */
#include <assert.h>
#include <threads.h>

static mtx_t lock;
static cnd_t filled;
static once_flag once = ONCE_FLAG_INIT;
static tss_t name;
static int items;

static void prepare(void)
{
    assert(mtx_init(&lock, mtx_plain) == thrd_success);
    assert(cnd_init(&filled) == thrd_success);
    assert(tss_create(&name, NULL) == thrd_success);
}

static int take(void *argument)
{
    call_once(&once, prepare);
    tss_set(name, argument);
    mtx_lock(&lock);
#ifdef FIXED
    while (items == 0)
#else
    if (items == 0)
#endif
        cnd_wait(&filled, &lock);
    items--;
    assert(items >= 0);
    mtx_unlock(&lock);
    assert(tss_get(name) == argument);
    thrd_yield();
    thrd_exit(7);
}

int main(void)
{
    thrd_t taker[2];
    int places[2], result;

    call_once(&once, prepare);
    for (int i = 0; i < 2; i++)
        assert(thrd_create(&taker[i], take, &places[i]) == thrd_success);
    for (int i = 0; i < 2; i++) {
        mtx_lock(&lock);
        items++;
        cnd_broadcast(&filled);
        mtx_unlock(&lock);
    }
    for (int i = 0; i < 2; i++) {
        assert(thrd_join(taker[i], &result) == thrd_success);
        assert(result == 7);
    }
    mtx_destroy(&lock);
    cnd_destroy(&filled);
    return 0;
}
