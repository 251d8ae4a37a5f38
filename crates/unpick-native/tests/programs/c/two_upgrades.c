/* A home-made read-write lock whose read holders can upgrade to writing.
 *
 * Bug: a reader that upgrades keeps its read hold and waits until it is the only reader.
 * Fails when two readers upgrade at the same time: each waits for the other to go.
 * Fix: the second one that wants to upgrade is refused, lets go, and starts again as a writer.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int readers;
static bool writing, upgrading;
static int total;

static void read_begin(void)
{
    pthread_mutex_lock(&lock);
    while (writing)
        pthread_cond_wait(&changed, &lock);
    readers++;
    pthread_mutex_unlock(&lock);
}

static void read_end(void)
{
    pthread_mutex_lock(&lock);
    readers--;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static bool upgrade(void)
{
    pthread_mutex_lock(&lock);
#ifdef FIXED
    if (upgrading) {
        pthread_mutex_unlock(&lock);
        return false;
    }
#endif
    upgrading = true;
    while (readers > 1)
        pthread_cond_wait(&changed, &lock);
    readers = 0;
    upgrading = false;
    writing = true;
    pthread_mutex_unlock(&lock);
    return true;
}

static void write_begin(void)
{
    pthread_mutex_lock(&lock);
    while (writing || readers > 0)
        pthread_cond_wait(&changed, &lock);
    writing = true;
    pthread_mutex_unlock(&lock);
}

static void write_end(void)
{
    pthread_mutex_lock(&lock);
    writing = false;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void *add(void *unused)
{
    (void)unused;
    read_begin();
    bool is_enough = total >= 10;
    if (is_enough) {
        read_end();
        return NULL;
    }
    if (!upgrade()) {
        read_end();
        write_begin();
    }
    total++;
    write_end();
    return NULL;
}

int main(void)
{
    pthread_t thread[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(total == 2);
    return 0;
}
