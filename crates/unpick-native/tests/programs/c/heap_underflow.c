// A stack of numbers is popped once more than it was pushed, if the second worker comes first.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long *numbers;
static int count;

static void *push(void *none) {
    pthread_mutex_lock(&lock);
    numbers[count++] = 7;
    pthread_mutex_unlock(&lock);
    return none;
}

static void *pop(void *none) {
    long number = 0;
    pthread_mutex_lock(&lock);
#ifdef FIXED
    if (count > 0)
#endif
        memcpy(&number, &numbers[--count], sizeof number);
    pthread_mutex_unlock(&lock);
    return (void *)(number - number);
}

int main(void) {
    numbers = calloc(3, sizeof *numbers);
    pthread_t one, other;
    pthread_create(&one, 0, push, 0);
    pthread_create(&other, 0, pop, 0);
    pthread_join(one, 0);
    pthread_join(other, 0);
    free(numbers);
    return 0;
}
