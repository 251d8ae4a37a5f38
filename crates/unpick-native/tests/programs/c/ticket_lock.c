/* A ticket lock whose waiters sleep until their ticket is served.
 *
 * Bug: a ticket is drawn with a plain `next_ticket++`.
 * Fails when two threads draw the same ticket: both enter, and both write the plain `inside`. The
 * draw itself is a data race.
 * Fix: the ticket counter is atomic.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

#ifdef FIXED
static atomic_int next_ticket;
#else
static int next_ticket;
#endif
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static int now_serving;
static int inside, visits;

static void enter(void)
{
    int mine = next_ticket++;
    pthread_mutex_lock(&lock);
    while (now_serving < mine)
        pthread_cond_wait(&moved, &lock);
    pthread_mutex_unlock(&lock);
}

static void leave(void)
{
    pthread_mutex_lock(&lock);
    now_serving++;
    pthread_cond_broadcast(&moved);
    pthread_mutex_unlock(&lock);
}

static void *visit(void *unused)
{
    (void)unused;
    enter();
    inside++;
    assert(inside == 1);
    visits++;
    inside--;
    leave();
    return NULL;
}

int main(void)
{
    pthread_t thread[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, visit, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(visits == 2);
    return 0;
}
