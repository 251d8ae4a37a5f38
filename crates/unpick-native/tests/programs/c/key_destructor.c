/* Workers keep a count in thread-local memory; a key destructor adds it to a shared total.
 *
 * Bug: the main thread frees the total when both workers have said "done". The destructors run after
 * that.
 * Fails when the total is freed before a destructor adds to it: use after free.
 * Fix: join the workers first.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { WORKERS = 2 };

static pthread_key_t count_key;
static sem_t done;
static atomic_int *total;

static void add_to_total(void *count)
{
    atomic_fetch_add(total, *(int *)count);
    free(count);
}

static void *work(void *unused)
{
    (void)unused;
    int *count = malloc(sizeof *count);
    if (count == NULL)
        abort();
    *count = 2;
    pthread_setspecific(count_key, count);
    sem_post(&done);
    return NULL;
}

int main(void)
{
    pthread_t worker[WORKERS];

    total = malloc(sizeof *total);
    if (total == NULL)
        abort();
    atomic_init(total, 0);
    sem_init(&done, 0, 0);
    pthread_key_create(&count_key, add_to_total);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&worker[i], NULL, work, NULL);
#ifdef FIXED
    for (int i = 0; i < WORKERS; i++)
        pthread_join(worker[i], NULL);
    assert(atomic_load(total) == 2 * WORKERS);
    free(total);
#else
    for (int i = 0; i < WORKERS; i++)
        sem_wait(&done);
    free(total);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(worker[i], NULL);
#endif
    pthread_key_delete(count_key);
    return 0;
}
