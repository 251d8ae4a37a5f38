/* Two threads that never end, and take two locks in opposite order. The deadlock must be found although
 * no schedule without it comes to its end.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t two = PTHREAD_MUTEX_INITIALIZER;

static void *serve(void *argument)
{
    pthread_mutex_t *first = argument;
    pthread_mutex_t *second = first == &one ? &two : &one;

    for (;;) {
        pthread_mutex_lock(first);
        pthread_mutex_lock(second);
        pthread_mutex_unlock(second);
        pthread_mutex_unlock(first);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[2];

    pthread_create(&thread[0], NULL, serve, &one);
    pthread_create(&thread[1], NULL, serve, &two);
    pthread_join(thread[0], NULL);
    return 0;
}
