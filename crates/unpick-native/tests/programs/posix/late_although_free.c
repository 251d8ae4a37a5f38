/* A thread waits for locks with a limit. They may be free when it comes, it may get them after it had to wait, and its time
   may be up. OUTCOME says for which the program fails, so that it can be seen that each comes about: 0 never comes about. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int is_held, is_let_go;

static void *hold(void *unused)
{
    pthread_mutex_lock(&mutex);
    is_held = 1;
    is_let_go = 1;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t holder;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 10000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_create(&holder, NULL, hold, NULL);
    int was_held = is_held && !is_let_go;
    int result = pthread_mutex_timedlock(&mutex, &until);
    int was_let_go = is_let_go;
    if (result == 0)
        pthread_mutex_unlock(&mutex);
#if OUTCOME == 0
    assert(result == 0 || result == ETIMEDOUT);
#elif OUTCOME == 1
    assert(!(result == 0 && !was_held && !was_let_go));
#elif OUTCOME == 2
    assert(!(result == 0 && was_held));
#elif OUTCOME == 3
    assert(!(result == ETIMEDOUT && !was_let_go));
#else
    assert(!(result == ETIMEDOUT && was_let_go));
#endif
    pthread_join(holder, NULL);
    return 0;
}
