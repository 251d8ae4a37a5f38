/* A thread looks how many bytes are in a pipe, into which another one writes twice. */
#include <assert.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int ends[2];

static void *put(void *unused)
{
    (void)!write(ends[1], "abcd", 4);
    (void)!write(ends[1], "abcd", 4);
    return unused;
}

int main(void)
{
    pthread_t writer;
    int count = 0;
    (void)!pipe(ends);
    pthread_create(&writer, NULL, put, NULL);
#ifdef FIXED
    pthread_join(writer, NULL);
#endif
    ioctl(ends[0], FIONREAD, &count);
    assert(count == 0 || count == 8);
#ifndef FIXED
    pthread_join(writer, NULL);
#endif
    return 0;
}
