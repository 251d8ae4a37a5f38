/* A function marked as a destructor runs after main and after the handlers of atexit. It finds what a
 * detached thread may not have done by then.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int is_done;

static void *work(void *unused)
{
    atomic_store(&is_done, 1);
    return unused;
}

__attribute__((destructor)) static void check(void)
{
    if (!atomic_load(&is_done)) abort();
}

int main(void)
{
    pthread_t task;
    pthread_create(&task, NULL, work, NULL);
    pthread_detach(task);
    return 0;
}
