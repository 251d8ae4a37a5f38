/* A worker writes requests into a pipe, the main thread answers them through another one.
 *
 * Bug: the main thread sends more than a pipe holds before it looks at the answers.
 * Fails when both pipes are full: each waits until the other one reads.
 * Fix: a second thread takes the answers.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { SIZE = 200 * 1024, CHUNK = 16 * 1024 };

static int requests[2], answers[2];

static void write_all(int file, const char *bytes, size_t count)
{
    assert(write(file, bytes, count) == (ssize_t)count);
}

static void *echo(void *unused)
{
    char chunk[CHUNK];
    ssize_t got;

    (void)unused;
    while ((got = read(requests[0], chunk, sizeof chunk)) > 0)
        write_all(answers[1], chunk, (size_t)got);
    close(answers[1]);
    return NULL;
}

static void *collect(void *unused)
{
    char chunk[CHUNK];
    ssize_t got;
    long total = 0;

    (void)unused;
    while ((got = read(answers[0], chunk, sizeof chunk)) > 0)
        total += got;
    assert(total == SIZE);
    return NULL;
}

int main(void)
{
    pthread_t worker;
    char *bytes = calloc(1, SIZE);

    if (bytes == NULL || pipe(requests) != 0 || pipe(answers) != 0)
        return 2;
    pthread_create(&worker, NULL, echo, NULL);
#ifdef FIXED
    pthread_t collector;
    pthread_create(&collector, NULL, collect, NULL);
    write_all(requests[1], bytes, SIZE);
    close(requests[1]);
    pthread_join(collector, NULL);
#else
    write_all(requests[1], bytes, SIZE);
    close(requests[1]);
    collect(NULL);
#endif
    pthread_join(worker, NULL);
    free(bytes);
    return 0;
}
