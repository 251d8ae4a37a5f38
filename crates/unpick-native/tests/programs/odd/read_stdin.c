/* A worker blocks reading the standard input until a line or the end comes; another one works on. */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static void *read_line(void *unused)
{
    char byte = 0;

    (void)unused;
    while (read(STDIN_FILENO, &byte, 1) == 1 && byte != '\n') {
        /* The rest of the line. */
    }
    return NULL;
}

static void *work(void *unused)
{
    (void)unused;
    return NULL;
}

int main(void)
{
    pthread_t reader, worker;

    pthread_create(&reader, NULL, read_line, NULL);
    pthread_create(&worker, NULL, work, NULL);
    pthread_join(reader, NULL);
    pthread_join(worker, NULL);
    return 0;
}
