/* Two workers wait on one epoll set for requests in a pipe.
 *
 * Bug: level-triggered, so both may be woken for one request; the read blocks for the second one.
 * Fails when both are woken before one of them reads.
 * Fix: EPOLLONESHOT, armed again after each request.
 */
#include <assert.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { WORKERS = 2 };

static int set, requests[2], stop[2];

static void *work(void *unused)
{
    struct epoll_event event;

    (void)unused;
    for (;;) {
        char byte;
        assert(epoll_wait(set, &event, 1, -1) == 1);
        if (event.data.fd == stop[0])
            return NULL;
        assert(read(requests[0], &byte, 1) == 1);
        assert(write(stop[1], "s", 1) == 1);
    }
}

int main(void)
{
    pthread_t worker[WORKERS];
    struct epoll_event event = { .events = EPOLLIN };

    set = epoll_create1(0);
    if (set < 0 || pipe(requests) != 0 || pipe(stop) != 0)
        return 2;
    event.data.fd = stop[0];
    epoll_ctl(set, EPOLL_CTL_ADD, stop[0], &event);
#ifdef FIXED
    event.events = EPOLLIN | EPOLLONESHOT;
#endif
    event.data.fd = requests[0];
    epoll_ctl(set, EPOLL_CTL_ADD, requests[0], &event);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&worker[i], NULL, work, NULL);
    assert(write(requests[1], "r", 1) == 1);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(worker[i], NULL);
    return 0;
}
