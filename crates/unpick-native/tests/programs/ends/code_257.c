/* The shell sees the low eight bits of an exit code: 1 of 257, and 0 of 256. */
#include <pthread.h>
#include <stddef.h>

static void *work(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t worker;

    pthread_create(&worker, NULL, work, NULL);
    pthread_join(worker, NULL);
#ifdef FIXED
    return 256;
#else
    return 257;
#endif
}
