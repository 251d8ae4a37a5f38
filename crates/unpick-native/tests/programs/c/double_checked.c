/* A configuration that is read on first use, with double-checked locking.
 *
 * Bug: the flag that says "ready" is a plain variable, read outside the lock, and it is set before
 * the values are.
 * Fails when a thread reads the flag without the lock while another one fills in the values: it
 * sees half a configuration. The flag itself is a data race.
 * Fix: an atomic flag, set (release) after the values and read (acquire) before them.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { int width, height; } config;

#ifdef FIXED
static atomic_bool ready;
static bool is_ready(void) { return atomic_load_explicit(&ready, memory_order_acquire); }
static void set_ready(void) { atomic_store_explicit(&ready, true, memory_order_release); }
#else
static bool ready;
static bool is_ready(void) { return ready; }
static void set_ready(void) { ready = true; }
#endif

static void load_config(void)
{
#ifndef FIXED
    set_ready();
#endif
    config.width = 80;
    config.height = 25;
#ifdef FIXED
    set_ready();
#endif
}

static void *draw(void *unused)
{
    (void)unused;
    if (!is_ready()) {
        pthread_mutex_lock(&lock);
        if (!is_ready())
            load_config();
        pthread_mutex_unlock(&lock);
    }
    assert(config.width * config.height == 2000);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, draw, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
