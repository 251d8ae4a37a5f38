/* A server waits for two clients with select, then with poll.
 *
 * Bug: after select it reads from the first client, whichever is ready.
 * Fails when the second one was faster and the first one waits for an answer that never comes.
 * Fix: look which one is ready.
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

static int pair[2][2];

static void *be_client(void *argument)
{
    int me = (int)(intptr_t)argument;
    char byte;

    if (me == 0) {
        /* The first one speaks when it has been spoken to by the second one's answer. */
        assert(read(pair[0][1], &byte, 1) == 1);
    }
    assert(write(pair[me][1], "x", 1) == 1);
    return NULL;
}

int main(void)
{
    pthread_t client[2];
    char byte;

    for (int i = 0; i < 2; i++)
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair[i]) != 0)
            return 2;
    for (int i = 0; i < 2; i++)
        pthread_create(&client[i], NULL, be_client, (void *)(intptr_t)i);
    fd_set ready;
    FD_ZERO(&ready);
    FD_SET(pair[0][0], &ready);
    FD_SET(pair[1][0], &ready);
    assert(select(pair[1][0] + 1, &ready, NULL, NULL, NULL) == 1);
#ifdef FIXED
    int first = FD_ISSET(pair[0][0], &ready) ? 0 : 1;
#else
    int first = 0;
#endif
    assert(read(pair[first][0], &byte, 1) == 1);
    assert(write(pair[0][0], "y", 1) == 1);
    struct pollfd last = { .fd = pair[1 - first][0], .events = POLLIN };
    assert(poll(&last, 1, -1) == 1);
    for (int i = 0; i < 2; i++)
        pthread_join(client[i], NULL);
    return 0;
}
