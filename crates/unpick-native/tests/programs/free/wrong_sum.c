// Prints a sum that depends on which thread comes last; never fails otherwise. With an argument it ends
// with that code.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *twice(void *argument) {
    pthread_mutex_lock(&lock);
    int seen = sum;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    sum = seen + 1;
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(int count, char **arguments) {
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, twice, NULL);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    printf("%d\n", sum);
    return count > 1 ? atoi(arguments[1]) : 0;
}
