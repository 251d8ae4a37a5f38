/* Ends the process by a system call that nobody sees: executions must be processes of their own. */
#include <pthread.h>
#include <sys/syscall.h>

static void *work(void *unused)
{
    long result;

    (void)unused;
    __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_exit_group), "D"(3) : "rcx", "r11", "memory");
    return NULL;
}

int main(void)
{
    pthread_t worker;

    pthread_create(&worker, NULL, work, NULL);
    pthread_join(worker, NULL);
    return 0;
}
