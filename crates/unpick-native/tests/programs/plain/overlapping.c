/* Half of a word is read while all of it is written, and copied as a part of more: accesses of different sizes
 * that begin at different bytes depend on each other.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static union {
    volatile long whole;
    volatile int half[2];
    char bytes[64];
} shared;
static volatile size_t size = sizeof shared.bytes;

static void *write_whole(void *unused)
{
    shared.whole = -1;
    return unused;
}

static void *write_many(void *unused)
{
    char zeros[sizeof shared.bytes] = {0};

    memcpy(shared.bytes, zeros, size);
    return unused;
}

int main(void)
{
    pthread_t one, other;

    pthread_create(&one, NULL, write_whole, NULL);
    pthread_create(&other, NULL, write_many, NULL);
    int first = shared.half[1];
    int second = shared.half[1];
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    /* Written by the one, and then by the other, between the two looks. */
    assert(!(first == -1 && second == 0));
    return 0;
}
