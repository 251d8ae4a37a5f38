/* Two threads count hits of a cache under its read lock, which lets both in at once. */
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value, hits;

static void *look_up(void *unused)
{
#ifdef FIXED
    pthread_rwlock_wrlock(&lock);
#else
    pthread_rwlock_rdlock(&lock);
#endif
    if (value >= 0)
        hits++;
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *change(void *unused)
{
    pthread_rwlock_wrlock(&lock);
    value = 1;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, look_up, NULL);
    pthread_create(&threads[1], NULL, look_up, NULL);
    pthread_create(&threads[2], NULL, change, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return hits < 0;
}
