/* Two clients share a pool of one connection, while the main thread closes the pool. */
#include "pool.h"

#include <stddef.h>

enum { CLIENTS = 2 };

static struct pool pool;

static void *client(void *unused)
{
    (void)unused;
    struct connection *connection = pool_take(&pool);
    if (connection != NULL) {
        connection->requests++;
        pool_give_back(&pool, connection);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[CLIENTS];

    pool_open(&pool);
    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&thread[i], NULL, client, NULL);
    pool_close(&pool);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
