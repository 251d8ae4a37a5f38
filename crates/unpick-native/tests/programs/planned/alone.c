// What main reads when it is alone again tells in which order the others stored. ATOMIC: by an atomic variable;
// AGAIN: main stores itself before it creates another task, which reads.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static int plain;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *set(void *argument) {
    int value = (int)(long)argument;
    atomic_store(&x, value);
    pthread_mutex_lock(&mutex);
    plain = value;
    pthread_mutex_unlock(&mutex);
    return 0;
}

static void *look(void *argument) {
    assert(atomic_load(&x) != 3);
    return argument;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, set, (void *)1);
    pthread_create(&two, 0, set, (void *)2);
    pthread_join(one, 0);
    pthread_join(two, 0);
#ifdef ATOMIC
    assert(atomic_load(&x) != 1);
#elif defined AGAIN
    if (atomic_exchange(&x, 4) == 1)
        atomic_store(&x, 3);
    pthread_create(&one, 0, look, 0);
    pthread_join(one, 0);
#else
    assert(plain != 1);
#endif
    return 0;
}
