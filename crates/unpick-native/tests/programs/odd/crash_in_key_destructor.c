/* The destructor of a thread-specific value dereferences a null pointer when its thread ends. */
#include <pthread.h>
#include <stddef.h>

static pthread_key_t key;

static void crash(void *value)
{
    volatile int *volatile nowhere = NULL;
    (void)value;
    *nowhere = 1;
}

static void *work(void *unused)
{
    (void)unused;
    pthread_setspecific(key, &key);
    return NULL;
}

int main(void)
{
    pthread_t worker;

    pthread_key_create(&key, crash);
    pthread_create(&worker, NULL, work, NULL);
    pthread_join(worker, NULL);
    return 0;
}
