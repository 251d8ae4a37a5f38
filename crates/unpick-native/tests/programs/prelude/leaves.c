// The first thread leaves as soon as it has created another one, which ends the program.
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

static int count;

static void *work(void *from) {
    assert(++count == 2 && *(int *)from == 5);
    exit(0);
}

int main(void) {
    pthread_t task;
    int *number = malloc(sizeof *number);
    *number = 5;
    count++;
    pthread_create(&task, 0, work, number);
    pthread_exit(0);
}
