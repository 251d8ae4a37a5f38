/* Every way to wait for data that the other programs do not use: datagrams, pieces, time limits,
 * messages, signals with a time limit. A worker answers each request with the same bytes.
 *
 * Bug: the last answer is taken without looking at the time limit.
 * Fails when the time is over before the worker answers.
 * Fix: no limit.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ROUNDS = 4 };

static int ends[2], datagrams;
static struct sockaddr_in address;

static void *echo(void *unused)
{
    char bytes[8];

    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        struct iovec piece = { bytes, sizeof bytes };
        struct msghdr header = { .msg_iov = &piece, .msg_iovlen = 1 };
        ssize_t got = recvmsg(ends[1], &header, 0);
        assert(got > 0);
        piece.iov_len = (size_t)got;
        assert(sendmsg(ends[1], &header, 0) == got);
    }
    int file = socket(AF_INET, SOCK_DGRAM, 0);
    assert(sendto(file, "datagram", 8, 0, (struct sockaddr *)&address, sizeof address) == 8);
    close(file);
    return NULL;
}

static void use_pieces(void)
{
    char one[2], two[3];
    struct iovec out[] = { { "ab", 2 }, { "cde", 3 } };
    struct iovec in[] = { { one, 2 }, { two, 3 } };

    assert(writev(ends[0], out, 2) == 5);
    assert(readv(ends[0], in, 2) == 5);
    assert(memcmp(two, "cde", 3) == 0);
}

static void use_ppoll(void)
{
    char bytes[2];
    struct pollfd wanted = { .fd = ends[0], .events = POLLIN };

    assert(send(ends[0], "pp", 2, 0) == 2);
    assert(ppoll(&wanted, 1, NULL, NULL) == 1);
    assert(recv(ends[0], bytes, 2, MSG_DONTWAIT) == 2);
}

static void use_pselect(void)
{
    char bytes[2];
    fd_set wanted;

    FD_ZERO(&wanted);
    FD_SET(ends[0], &wanted);
    assert(send(ends[0], "ps", 2, 0) == 2);
    assert(pselect(ends[0] + 1, &wanted, NULL, NULL, NULL, NULL) == 1);
    assert(recv(ends[0], bytes, 2, 0) == 2);
}

static void use_signals(void)
{
    sigset_t set;
    struct timespec limit = { .tv_sec = 1 };

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    assert(sigtimedwait(&set, NULL, &limit) == -1 && errno == EAGAIN);
    raise(SIGUSR1);
    sigset_t pending;
    sigpending(&pending);
    assert(sigismember(&pending, SIGUSR1));
    assert(sigwaitinfo(&set, NULL) == SIGUSR1);
}

static void use_limit(void)
{
    char bytes[2];
#ifndef FIXED
    struct timeval limit = { .tv_usec = 50000 };
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
#endif
    assert(send(ends[0], "tl", 2, 0) == 2);
    assert(recv(ends[0], bytes, 2, 0) == 2);
}

int main(void)
{
    pthread_t worker;
    socklen_t size = sizeof address;
    char bytes[8];

    datagrams = socket(AF_INET, SOCK_DGRAM, 0);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(datagrams, (struct sockaddr *)&address, size) != 0
        || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0)
        return 2;
    getsockname(datagrams, (struct sockaddr *)&address, &size);
    pthread_create(&worker, NULL, echo, NULL);
    use_pieces();
    use_ppoll();
    use_pselect();
    use_signals();
    use_limit();
    assert(recvfrom(datagrams, bytes, sizeof bytes, 0, NULL, NULL) == 8);
    pthread_join(worker, NULL);
    return 0;
}
