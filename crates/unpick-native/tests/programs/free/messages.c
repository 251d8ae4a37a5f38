// Two threads each send one message through a pipe. The first is created long before the second, and the
// reader takes it for granted that its message comes first; nothing makes sure of that.
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void *send_message(void *message) {
    return write(ends[1], message, 1) == 1 ? NULL : message;
}

int main(void) {
    char first = 'a', second = 'b', got[2];
    pthread_t threads[2];
    if (pipe(ends) != 0) return 1;
    pthread_create(&threads[0], NULL, send_message, &first);
    usleep(20000);
    pthread_create(&threads[1], NULL, send_message, &second);
    for (int i = 0; i < 2; i++) {
        if (read(ends[0], &got[i], 1) != 1) return 1;
    }
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    return got[0] == 'a' ? 0 : 7;
}
