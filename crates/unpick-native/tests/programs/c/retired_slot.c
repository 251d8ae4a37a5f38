/* A reader takes the current slot and works in it; the owner moves on to the next and retires the old one.
 *
 * Bug: the owner does not wait for readers that have taken the old slot.
 * Fails when the owner moves on and retires the slot between the two looks of the reader: the reader
 * works in a slot that is no longer in use.
 * Fix: one lock around the work of the reader, and around that of the owner.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int current;
static atomic_int is_retired[2];

#ifdef FIXED
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#endif

static void enter(void)
{
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
}

static void leave(void)
{
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
}

static void *reader(void *unused)
{
    enter();
    int slot = atomic_load(&current);
    assert(!atomic_load(&is_retired[slot]));
    leave();
    return unused;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, reader, NULL);
    enter();
    atomic_store(&current, 1);
    atomic_store(&is_retired[0], 1);
    leave();
    pthread_join(thread, NULL);
    return 0;
}
