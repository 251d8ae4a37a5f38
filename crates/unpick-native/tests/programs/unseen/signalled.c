/* A signal for the first thread arrives before or behind its look at what the handler changes. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

static atomic_int count;
static pthread_t first;

static void handle(int unused) {
    (void)unused;
    count++;
}

static void *send(void *unused) {
    pthread_kill(first, SIGUSR1);
    return unused;
}

int main(void) {
    pthread_t thread;
    first = pthread_self();
    signal(SIGUSR1, handle);
    pthread_create(&thread, 0, send, 0);
    assert(count == 0);
    pthread_join(thread, 0);
    return 0;
}
