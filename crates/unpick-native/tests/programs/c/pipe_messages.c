/* Two senders write messages into one pipe; the main thread reads them.
 *
 * Bug: a message is written in two calls, the length and the text.
 * Fails when the other sender writes between the two: the reader takes a length for a text.
 * Fix: one write for the whole message; the kernel keeps it together (it is shorter than PIPE_BUF).
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { SENDERS = 2, LENGTH = 3 };

static int pipe_end[2];

static void send_bytes(const char *bytes, size_t count)
{
    ssize_t written = write(pipe_end[1], bytes, count);
    assert(written == (ssize_t)count);
}

static void *send_message(void *unused)
{
    char message[1 + LENGTH] = { LENGTH, 'a', 'b', 'c' };

    (void)unused;
#ifdef FIXED
    send_bytes(message, sizeof message);
#else
    send_bytes(message, 1);
    send_bytes(message + 1, LENGTH);
#endif
    return NULL;
}

static void receive_bytes(char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t got = read(pipe_end[0], bytes, count);
        assert(got > 0);
        bytes += got;
        count -= (size_t)got;
    }
}

int main(void)
{
    pthread_t sender[SENDERS];

    if (pipe(pipe_end) != 0)
        return 2;
    for (int i = 0; i < SENDERS; i++)
        pthread_create(&sender[i], NULL, send_message, NULL);
    for (int i = 0; i < SENDERS; i++) {
        char length, text[LENGTH];
        receive_bytes(&length, 1);
        assert(length == LENGTH);
        receive_bytes(text, LENGTH);
        assert(memcmp(text, "abc", LENGTH) == 0);
    }
    for (int i = 0; i < SENDERS; i++)
        pthread_join(sender[i], NULL);
    close(pipe_end[0]);
    close(pipe_end[1]);
    return 0;
}
