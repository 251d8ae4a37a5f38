/* The main thread sleeps until another one has surely stored. Bug: 50 ms are not enough. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

static atomic_int flag;

static void *set(void *unused)
{
    (void)unused;
    atomic_store(&flag, 1);
    return NULL;
}

int main(void)
{
    pthread_t setter;
    pthread_create(&setter, NULL, set, NULL);
#ifdef FIXED
    sleep(10);
#else
    usleep(50000);
#endif
    assert(atomic_load(&flag) == 1);
    pthread_join(setter, NULL);
    return 0;
}
