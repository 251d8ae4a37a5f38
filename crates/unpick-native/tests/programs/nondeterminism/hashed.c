/* Does as many operations as addresses of locals, of thread-locals and of thread control blocks say, as tables of
   waiting threads that hash addresses do. Threads come and go on the same stacks. */
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int mine;
static int count;

static void wait_by(uintptr_t address) {
    unsigned bucket = (address * 0x9E3779B97F4A7C15u) >> 60;
    for (unsigned turn = 0; turn <= bucket; turn++) {
        pthread_mutex_lock(&lock);
        count++;
        pthread_mutex_unlock(&lock);
    }
}

static void *work(void *unused) {
    int local = 0;
    wait_by((uintptr_t)&local);
    wait_by((uintptr_t)&mine);
    wait_by((uintptr_t)pthread_self());
    mine++;
    assert(mine == 1);
    return unused;
}

int main(void) {
    pthread_t threads[2];
    int local = 0;
    wait_by((uintptr_t)&local);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 2; i++)
            pthread_create(&threads[i], 0, work, 0);
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], 0);
    }
    return 0;
}
