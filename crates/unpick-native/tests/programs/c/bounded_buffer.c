/* A buffer with one place, one producer of two items and two consumers of one each.
 *
 * Bug: producers and consumers wait on the same condition variable, and every change signals one.
 * Fails when both consumers wait, the producer puts an item (consumer 1 is woken) and then waits
 * for room, and consumer 1 takes the item but its signal wakes consumer 2 instead of the producer:
 * consumer 2 waits again, and nobody is left to wake anyone.
 * Fix: one condition variable for "not empty", one for "not full".
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
#ifdef FIXED
static pthread_cond_t other = PTHREAD_COND_INITIALIZER;
static pthread_cond_t *const not_full = &other;
#else
static pthread_cond_t *const not_full = &not_empty;
#endif
static bool is_full;
static int place;

static void put(int item)
{
    pthread_mutex_lock(&lock);
    while (is_full)
        pthread_cond_wait(not_full, &lock);
    place = item;
    is_full = true;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
}

static int take(void)
{
    pthread_mutex_lock(&lock);
    while (!is_full)
        pthread_cond_wait(&not_empty, &lock);
    int item = place;
    is_full = false;
    pthread_cond_signal(not_full);
    pthread_mutex_unlock(&lock);
    return item;
}

static void *consume(void *got)
{
    *(int *)got = take();
    return NULL;
}

static void *produce(void *unused)
{
    (void)unused;
    put(1);
    put(2);
    return NULL;
}

int main(void)
{
    pthread_t consumer[2], producer;
    int got[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&consumer[i], NULL, consume, &got[i]);
    pthread_create(&producer, NULL, produce, NULL);
    pthread_join(producer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(consumer[i], NULL);
    assert(got[0] + got[1] == 3);
    return 0;
}
