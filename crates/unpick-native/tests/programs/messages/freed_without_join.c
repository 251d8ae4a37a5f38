// One thread frees what another one writes.
#include <pthread.h>
#include <stdlib.h>

static int *number;

static void *write_it(void *argument) {
    *number = 1;
    return argument;
}

int main(void) {
    pthread_t thread;
    number = malloc(sizeof *number);
    pthread_create(&thread, 0, write_it, 0);
    free(number);
    pthread_join(thread, 0);
    return 0;
}
