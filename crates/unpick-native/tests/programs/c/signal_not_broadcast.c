/* Two runners wait at a gate until the main thread opens it.
 *
 * Bug: opening the gate wakes one runner only (signal instead of broadcast).
 * Fails when both runners wait before the gate opens: one of them is never woken.
 * Fix: broadcast.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { RUNNERS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static bool is_open;

static void *run(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!is_open)
        pthread_cond_wait(&opened, &lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t runner[RUNNERS];

    for (int i = 0; i < RUNNERS; i++)
        pthread_create(&runner[i], NULL, run, NULL);
    pthread_mutex_lock(&lock);
    is_open = true;
#ifdef FIXED
    pthread_cond_broadcast(&opened);
#else
    pthread_cond_signal(&opened);
#endif
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < RUNNERS; i++)
        pthread_join(runner[i], NULL);
    return 0;
}
