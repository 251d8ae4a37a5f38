/* The pool with a bug in its closing: it frees every connection it ever made, also one that a client
 * still uses and will give back.
 */
#include "pool.h"

#include <stddef.h>
#include <stdlib.h>

void pool_open(struct pool *pool)
{
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->changed, NULL);
    pool->idle_count = CONNECTIONS;
    pool->is_closed = false;
    for (int i = 0; i < CONNECTIONS; i++) {
        pool->idle[i] = calloc(1, sizeof *pool->idle[i]);
        if (pool->idle[i] == NULL)
            abort();
    }
}

struct connection *pool_take(struct pool *pool)
{
    struct connection *taken = NULL;

    pthread_mutex_lock(&pool->lock);
    while (pool->idle_count == 0 && !pool->is_closed)
        pthread_cond_wait(&pool->changed, &pool->lock);
    if (!pool->is_closed)
        taken = pool->idle[--pool->idle_count];
    pthread_mutex_unlock(&pool->lock);
    return taken;
}

void pool_give_back(struct pool *pool, struct connection *connection)
{
    pthread_mutex_lock(&pool->lock);
    pool->idle[pool->idle_count++] = connection;
    pthread_cond_signal(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
}

void pool_close(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->is_closed = true;
    for (int i = 0; i < CONNECTIONS; i++)
        free(pool->idle[i]);
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
}
