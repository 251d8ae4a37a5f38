/* Three hundred threads at the same time: all wait until the last one has been started. */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { THREADS = 300 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static bool is_open;
static int through;

static void *pass(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    while (!is_open)
        pthread_cond_wait(&opened, &lock);
    through++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    static pthread_t thread[THREADS];

    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&thread[i], NULL, pass, NULL) != 0)
            return 2;
    pthread_mutex_lock(&lock);
    is_open = true;
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    return through == THREADS ? 0 : 1;
}
