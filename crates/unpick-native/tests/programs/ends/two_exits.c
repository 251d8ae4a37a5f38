/* Two tasks end the process, with different codes. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void save(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    (void)unused;
#ifdef FIXED
    exit(0);
#else
    exit(3);
#endif
}

int main(void)
{
    pthread_t worker;

    atexit(save);
    pthread_create(&worker, NULL, work, NULL);
    exit(0);
}
