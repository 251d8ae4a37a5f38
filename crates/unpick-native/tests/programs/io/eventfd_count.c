/* Two producers count events with an eventfd; the consumer takes them all.
 *
 * Bug: the consumer reads as often as there are producers, but one read takes all that is there.
 * Fails when both have counted before the first read: the second one waits for ever.
 * Fix: read until the sum is right.
 */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { PRODUCERS = 2 };

static int events;

static void *produce(void *unused)
{
    uint64_t one = 1;

    (void)unused;
    assert(write(events, &one, sizeof one) == sizeof one);
    return NULL;
}

int main(void)
{
    pthread_t producer[PRODUCERS];
    uint64_t sum = 0, got;

    events = eventfd(0, 0);
    if (events < 0)
        return 2;
    for (int i = 0; i < PRODUCERS; i++)
        pthread_create(&producer[i], NULL, produce, NULL);
#ifdef FIXED
    while (sum < PRODUCERS) {
#else
    for (int i = 0; i < PRODUCERS; i++) {
#endif
        assert(read(events, &got, sizeof got) == sizeof got);
        sum += got;
    }
    assert(sum == PRODUCERS);
    for (int i = 0; i < PRODUCERS; i++)
        pthread_join(producer[i], NULL);
    return 0;
}
