/* The main thread waits for bytes of a pipe in three ways, with a limit. Bug: not long enough. */
#include "limit.h"
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <unistd.h>

static int ends[2];

static void *feed(void *unused)
{
    (void)unused;
    assert(write(ends[1], "x", 1) == 1);
    return NULL;
}

int main(void)
{
    pthread_t feeder;
    struct pollfd wanted;
    struct epoll_event event = {.events = EPOLLIN};
    struct timeval limit = {LIMIT_MS / 1000, LIMIT_MS % 1000 * 1000L};
    fd_set set;
    int all;

    assert(pipe(ends) == 0);
    wanted.fd = ends[0];
    wanted.events = POLLIN;
    pthread_create(&feeder, NULL, feed, NULL);
    assert(poll(&wanted, 1, LIMIT_MS) == 1);
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    assert(select(ends[0] + 1, &set, NULL, NULL, &limit) == 1);
    all = epoll_create1(0);
    assert(epoll_ctl(all, EPOLL_CTL_ADD, ends[0], &event) == 0);
    assert(epoll_wait(all, &event, 1, LIMIT_MS) == 1);
    pthread_join(feeder, NULL);
    return 0;
}
