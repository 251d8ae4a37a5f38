/* The main thread calls exit(0) while two workers still take and release a lock; an atexit handler
 * takes the same lock. Nothing is wrong with that.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void add(void)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
}

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < 10; i++)
        add();
    return NULL;
}

int main(void)
{
    pthread_t worker[2];

    atexit(add);
    for (int i = 0; i < 2; i++)
        pthread_create(&worker[i], NULL, work, NULL);
    exit(0);
}
