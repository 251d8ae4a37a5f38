/* A pool of connections: take one, wait if all are in use, close the pool when done. */
#ifndef POOL_H
#define POOL_H

#include <pthread.h>
#include <stdbool.h>

enum { CONNECTIONS = 1 };

struct connection {
    int requests;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct connection *idle[CONNECTIONS];
    int idle_count;
    bool is_closed;
};

void pool_open(struct pool *pool);

/* A connection for the caller alone; NULL once the pool is closed. */
struct connection *pool_take(struct pool *pool);

void pool_give_back(struct pool *pool, struct connection *connection);

/* Wakes all who wait and frees the connections. */
void pool_close(struct pool *pool);

#endif
