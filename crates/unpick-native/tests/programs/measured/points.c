/* Two threads, each of which changes an atomic variable of its own as often as the argument says.
 * Nothing is wrong with that: the program is there to be measured.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static atomic_long count[2];
static long rounds;

static void *work(void *argument)
{
    atomic_long *mine = argument;

    for (long i = 0; i < rounds; i++)
        atomic_fetch_add(mine, 1);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[2];

    rounds = argc > 1 ? atol(argv[1]) : 1000;
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, &count[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return count[0] == rounds && count[1] == rounds ? 0 : 1;
}
