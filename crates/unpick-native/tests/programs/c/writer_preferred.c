// A thread locks for reading twice, and the lock lets readers wait while a writer waits.
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t lock;

static void *change(void *none) {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    return none;
}

int main(void) {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
#ifndef FIXED
    pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
    pthread_rwlock_init(&lock, &attributes);
    pthread_t writer;
    pthread_create(&writer, 0, change, 0);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_join(writer, 0);
    return 0;
}
