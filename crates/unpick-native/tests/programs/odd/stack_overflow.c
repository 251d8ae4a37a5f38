/* A worker calls itself until its stack is used up: SIGSEGV on the guard page. */
#include <pthread.h>
#include <stddef.h>

static int deeper(volatile int *above, int depth)
{
    volatile int place[256];

    place[0] = depth;
    if (depth == 100000000)
        return *above;
    return deeper(place, depth + 1) + place[0];
}

static void *work(void *result)
{
    volatile int start = 0;
    *(int *)result = deeper(&start, 0);
    return NULL;
}

int main(void)
{
    pthread_t worker;
    int result = 0;

    pthread_create(&worker, NULL, work, &result);
    pthread_join(worker, NULL);
    return result == 0;
}
