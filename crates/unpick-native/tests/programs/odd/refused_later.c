/* Fails if the second thread comes first, and starts another program in one order of many. */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static atomic_int count;
static long order[6];

static void *work(void *number)
{
    for (int turn = 0; turn < 2; turn++)
        order[atomic_fetch_add(&count, 1)] = (long)number;
    return NULL;
}

int main(void)
{
    pthread_t workers[3];

    for (long number = 0; number < 3; number++)
        pthread_create(&workers[number], NULL, work, (void *)(number + 1));
    for (int number = 0; number < 3; number++)
        pthread_join(workers[number], NULL);
    if (order[0] == 2)
        abort();
    if (order[0] == 3 && order[1] == 2 && order[2] == 3 && order[3] == 1 && order[4] == 2)
        return system("true");
    return 0;
}
