/* One thread makes a greeting, another one prints its first letter when it is ready.
 *
 * Bug: "ready" is said before the pointer is stored.
 * Fails when the reader sees the flag and loads the pointer before it is there: SIGSEGV.
 * Fix: store the pointer first.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct greeting { char letter; };

static struct greeting hello;
static struct greeting *_Atomic greeting;
static atomic_bool ready;

static void *make(void *unused)
{
    (void)unused;
    hello.letter = 'h';
#ifdef FIXED
    atomic_store(&greeting, &hello);
    atomic_store(&ready, true);
#else
    atomic_store(&ready, true);
    atomic_store(&greeting, &hello);
#endif
    return NULL;
}

static void *use(void *unused)
{
    (void)unused;
    if (atomic_load(&ready))
        assert(atomic_load(&greeting)->letter == 'h');
    return NULL;
}

int main(void)
{
    pthread_t maker, user;

    pthread_create(&maker, NULL, make, NULL);
    pthread_create(&user, NULL, use, NULL);
    pthread_join(maker, NULL);
    pthread_join(user, NULL);
    return 0;
}
