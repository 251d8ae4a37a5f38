/* Two threads create a file, and each thinks that it was first. */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *make(void *unused) {
    if (access("/nowhere/file", F_OK) != 0)
        close(open("/nowhere/file", O_CREAT, 0600));
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, make, 0);
    make(0);
    pthread_join(thread, 0);
    return 0;
}
