/* A lock-free stack of free buffers, by index into a fixed pool.
 *
 * Bug: a pop replaces the head if it is still the same index, which does not mean that nothing
 * happened in between (ABA).
 * Fails when thread 1 has read head 0 and its successor 1, thread 2 pops 0 and 1 and pushes 0 again,
 * and the compare-and-swap of thread 1 succeeds: buffer 1 is on the stack while thread 2 owns it.
 * Fix: the head carries a number that changes with every swap.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { BUFFERS = 2, NONE = 0xff };

static atomic_uint head; /* index in the low byte, number of the swap above it */
static atomic_uint successor[BUFFERS];
static atomic_int owners[BUFFERS];

static unsigned swapped(unsigned old, unsigned index)
{
#ifdef FIXED
    return ((old & ~0xffu) + 0x100) | index;
#else
    (void)old;
    return index;
#endif
}

static unsigned pop(void)
{
    unsigned old = atomic_load(&head);
    unsigned index;

    do {
        index = old & 0xff;
        if (index == NONE)
            return NONE;
    } while (!atomic_compare_exchange_strong(&head, &old,
                                             swapped(old, atomic_load(&successor[index]))));
    int other_owners = atomic_fetch_add(&owners[index], 1);
    assert(other_owners == 0);
    return index;
}

static void push(unsigned index)
{
    unsigned old = atomic_load(&head);

    if (index == NONE)
        return;
    atomic_fetch_sub(&owners[index], 1);
    do {
        atomic_store(&successor[index], old & 0xff);
    } while (!atomic_compare_exchange_strong(&head, &old, swapped(old, index)));
}

static void *one_buffer(void *unused)
{
    (void)unused;
    push(pop());
    return NULL;
}

static void *two_buffers(void *unused)
{
    (void)unused;
    unsigned first = pop();
    unsigned second = pop();
    push(first);
    first = pop();
    push(first);
    push(second);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];

    atomic_init(&successor[0], 1);
    atomic_init(&successor[1], NONE);
    pthread_create(&thread[0], NULL, one_buffer, NULL);
    pthread_create(&thread[1], NULL, two_buffers, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
