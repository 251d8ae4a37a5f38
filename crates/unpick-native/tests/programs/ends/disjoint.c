/* What the worker does before it aborts has nothing to do with what main does before it returns. */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t ours = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t theirs = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&theirs);
    pthread_mutex_unlock(&theirs);
#ifndef FIXED
    abort();
#endif
    return unused;
}

int main(void)
{
    pthread_t worker;

    pthread_create(&worker, NULL, work, NULL);
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&ours);
        pthread_mutex_unlock(&ours);
    }
    return 0;
}
