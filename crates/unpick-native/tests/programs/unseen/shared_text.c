/* Two threads print into one buffer: what snprintf writes is not looked at. */
#include <pthread.h>
#include <stdio.h>

static char text[8];

static void *print(void *argument) {
    snprintf(text, sizeof text, "%d", (int)(long)argument);
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, print, (void *)1);
    print((void *)2);
    pthread_join(thread, 0);
    return 0;
}
