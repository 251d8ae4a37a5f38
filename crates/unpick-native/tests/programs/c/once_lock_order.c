/* A codec that is set up by pthread_once and puts its name into a locked registry.
 *
 * Bug: one thread calls pthread_once while it holds the lock of the registry; the set-up takes that
 * lock.
 * Fails when the other thread is inside the set-up and wants the lock, while the first holds the
 * lock and waits for the set-up. (Alone, the first would also wait for itself.)
 * Fix: set up first, lock afterwards.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_once_t codec_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t registry_lock = PTHREAD_MUTEX_INITIALIZER;
static int registered;

static void set_up_codec(void)
{
    pthread_mutex_lock(&registry_lock);
    registered++;
    pthread_mutex_unlock(&registry_lock);
}

static void *encode(void *unused)
{
    (void)unused;
    pthread_once(&codec_once, set_up_codec);
    return NULL;
}

static void *list(void *unused)
{
    (void)unused;
#ifdef FIXED
    pthread_once(&codec_once, set_up_codec);
    pthread_mutex_lock(&registry_lock);
#else
    pthread_mutex_lock(&registry_lock);
    pthread_once(&codec_once, set_up_codec);
#endif
    assert(registered == 1);
    pthread_mutex_unlock(&registry_lock);
    return NULL;
}

int main(void)
{
    pthread_t encoder, lister;

    pthread_create(&encoder, NULL, encode, NULL);
    pthread_create(&lister, NULL, list, NULL);
    pthread_join(encoder, NULL);
    pthread_join(lister, NULL);
    return 0;
}
