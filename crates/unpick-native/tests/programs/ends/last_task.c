/* main leaves with pthread_exit, so that the handlers run in whichever worker ends last. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int done;
static _Thread_local int number;

static void look(void)
{
#ifdef FIXED
    if (atomic_load(&done) != 2)
        abort();
#else
    if (number == 1)
        abort();
#endif
}

static void *work(void *argument)
{
    number = (int)(long)argument;
    atomic_fetch_add(&done, 1);
    return NULL;
}

int main(void)
{
    pthread_t workers[2];

    atexit(look);
    for (long i = 0; i < 2; i++) {
        pthread_create(&workers[i], NULL, work, (void *)i);
        pthread_detach(workers[i]);
    }
    pthread_exit(NULL);
}
