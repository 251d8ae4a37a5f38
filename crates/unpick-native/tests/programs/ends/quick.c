/* A handler of quick_exit frees what a detached worker still uses. Handlers of exit must not run. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *buffer;

static void *work(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        if (buffer)
            *buffer = i;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void release(void)
{
    pthread_mutex_lock(&lock);
    free(buffer);
#ifdef FIXED
    buffer = NULL;
#endif
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t worker;

    buffer = malloc(sizeof *buffer);
    at_quick_exit(release);
    atexit(abort);
    pthread_create(&worker, NULL, work, NULL);
    pthread_detach(worker);
    quick_exit(0);
}
