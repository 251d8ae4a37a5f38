/* What readers read, a writer frees and replaces. Bug: one of the readers does so under its read lock. */
#include <pthread.h>
#include <stdlib.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int *value;

static void *look(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    int seen = *value;
    pthread_rwlock_unlock(&lock);
    return seen < 0 ? NULL : unused;
}

static void *change(void *unused)
{
#ifdef FIXED
    pthread_rwlock_wrlock(&lock);
#else
    pthread_rwlock_rdlock(&lock);
#endif
    free(value);
    value = calloc(1, sizeof *value);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t reader, writer;
    value = calloc(1, sizeof *value);
    pthread_create(&reader, NULL, look, NULL);
    pthread_create(&writer, NULL, change, NULL);
    look(NULL);
    pthread_join(reader, NULL);
    pthread_join(writer, NULL);
    free(value);
    return 0;
}
