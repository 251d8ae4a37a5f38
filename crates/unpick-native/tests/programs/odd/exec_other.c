/* Replaces itself by another program while a second thread runs. */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static void *work(void *unused)
{
    (void)unused;
    return NULL;
}

int main(void)
{
    pthread_t worker;

    pthread_create(&worker, NULL, work, NULL);
    execlp("true", "true", (char *)NULL);
    return 2;
}
