/* Threads handle signals on a stack that unpick gives them. It must be the same one in every
 * execution: one more each time would use up memory. The file is the argument. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static stack_t given;

static void *look(void *unused) {
    syscall(SYS_sigaltstack, NULL, &given);
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
    pthread_join(thread, NULL);
    void *before = given.ss_sp;
    FILE *file = fopen(argv[argc - 1], "r");
    if (file) {
        if (fscanf(file, "%p", &before) != 1)
            return 2;
    } else {
        file = fopen(argv[argc - 1], "w");
        fprintf(file, "%p\n", before);
    }
    fclose(file);
    return before != given.ss_sp;
}
