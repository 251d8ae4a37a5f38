/* Two owners of a ticket count themselves out; whoever is last frees it. One of them does so in code that is
 * not instrumented, as a library does that came as it is (Rust's own, which drops the handles of threads).
 *
 * Bug: an owner looks at the ticket once more after it has counted itself out.
 * Fails when the other one is the last by then: the ticket is gone.
 * Fix: look first.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct ticket { atomic_int owners; int seat; };

static atomic_int travelled;

static void drop_in_library(struct ticket *ticket)
{
    int found = -1;

    __asm__ volatile("lock xaddl %0, %1" : "+r"(found), "+m"(ticket->owners) : : "memory");
    if (found == 1)
        free(ticket);
}

static void *travel(void *argument)
{
    struct ticket *ticket = argument;

    assert(ticket->seat == 12);
    atomic_fetch_add(&travelled, 1);
    drop_in_library(ticket);
    return NULL;
}

static int drop(struct ticket *ticket)
{
    int seat = ticket->seat;

    if (atomic_fetch_sub_explicit(&ticket->owners, 1, memory_order_acq_rel) == 1)
        free(ticket);
#ifndef FIXED
    else if (atomic_load(&travelled) <= 1)
        seat = ticket->seat;
#endif
    return seat;
}

int main(void)
{
    pthread_t thread;
    struct ticket *ticket = malloc(sizeof *ticket);

    if (ticket == NULL)
        abort();
    atomic_init(&ticket->owners, 2);
    ticket->seat = 12;
    pthread_create(&thread, NULL, travel, ticket);
    assert(drop(ticket) == 12);
    pthread_join(thread, NULL);
    return 0;
}
