/* A buffer with one place, guarded by three semaphores.
 *
 * Bug: the producer takes the lock before it waits for a free place.
 * Fails when the producer finds the place full while it holds the lock: the consumer cannot take
 * the lock to empty it. (The producer puts the second item before the first was taken.)
 * Fix: wait for a place, then lock.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

enum { ITEMS = 2 };

static sem_t lock, empty, full;
static int place;

static void *produce(void *unused)
{
    (void)unused;
    for (int item = 1; item <= ITEMS; item++) {
#ifdef FIXED
        sem_wait(&empty);
        sem_wait(&lock);
#else
        sem_wait(&lock);
        sem_wait(&empty);
#endif
        place = item;
        sem_post(&lock);
        sem_post(&full);
    }
    return NULL;
}

static void *consume(void *sum)
{
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&full);
        sem_wait(&lock);
        *(int *)sum += place;
        sem_post(&lock);
        sem_post(&empty);
    }
    return NULL;
}

int main(void)
{
    pthread_t producer, consumer;
    int sum = 0;

    sem_init(&lock, 0, 1);
    sem_init(&empty, 0, 1);
    sem_init(&full, 0, 0);
    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, &sum);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    assert(sum == 3);
    return 0;
}
