// The shell sees the low eight bits of an exit code.
#include <pthread.h>

static void *run(void *argument) {
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, 0);
    return 256;
}
