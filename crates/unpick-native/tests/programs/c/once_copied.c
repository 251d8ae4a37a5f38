/* Two sessions share a table that is to be made once.
 *
 * Bug: the once control is part of the session, so every session has its own.
 * Fails when both sessions make the table at the same time: one table is lost with its entry. The
 * accesses to the shared pointer race in every schedule.
 * Fix: one once control for all.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

struct table { pthread_mutex_t lock; int entries; };
struct session { pthread_once_t once; };

static struct table *table;
#ifdef FIXED
static pthread_once_t shared_once = PTHREAD_ONCE_INIT;
#endif

static void make_table(void)
{
    if (table != NULL)
        return;
    struct table *made = malloc(sizeof *made);
    if (made == NULL)
        abort();
    pthread_mutex_init(&made->lock, NULL);
    made->entries = 0;
    table = made;
}

static void *open_session(void *argument)
{
    struct session *session = argument;
#ifdef FIXED
    (void)session;
    pthread_once(&shared_once, make_table);
#else
    pthread_once(&session->once, make_table);
#endif
    pthread_mutex_lock(&table->lock);
    table->entries++;
    pthread_mutex_unlock(&table->lock);
    return NULL;
}

int main(void)
{
    struct session session[2] = { { PTHREAD_ONCE_INIT }, { PTHREAD_ONCE_INIT } };
    pthread_t thread[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, open_session, &session[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    assert(table->entries == 2);
    pthread_mutex_destroy(&table->lock);
    free(table);
    return 0;
}
