/* Waits in loops for plain variables: a global one, one on the stack, and two at once. */
#include <pthread.h>
#include <stddef.h>

static volatile int flag, other_flag;

static void *raise(void *mine)
{
    *(volatile int *)mine = 1;
    flag = 1;
    other_flag = 1;
    return NULL;
}

int main(void)
{
    volatile int mine = 0;
    pthread_t thread;

    pthread_create(&thread, NULL, raise, (void *)&mine);
    while (!mine) {
    }
    while (!flag || !other_flag) {
    }
    pthread_join(thread, NULL);
    return 0;
}
