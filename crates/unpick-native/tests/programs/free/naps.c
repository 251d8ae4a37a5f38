// Two threads that sleep nearly all of the time, and never for long: they use next to no processor time, and go on.
#include <pthread.h>
#include <unistd.h>

static void *nap(void *argument) {
    for (int turn = 0; turn < 20000; turn++)
        usleep(20000);
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, nap, 0);
    nap(0);
    pthread_join(thread, 0);
    return 0;
}
