/* Forks a child and waits for it, while a second thread runs. */
#include <pthread.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static void *work(void *unused)
{
    (void)unused;
    return NULL;
}

int main(void)
{
    pthread_t worker;
    int status;

    pthread_create(&worker, NULL, work, NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    if (child < 0 || waitpid(child, &status, 0) != child)
        return 2;
    pthread_join(worker, NULL);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}
