/* Draws random bytes in three ways and lets its control flow depend on them. */
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds;

static unsigned char draw(void)
{
    unsigned char byte[3] = { 0 };
    int device = open("/dev/urandom", O_RDONLY);
    FILE *stream = fopen("/dev/urandom", "rb");

    if (device >= 0 && read(device, &byte[0], 1) != 1)
        byte[0] = 0;
    if (stream != NULL && fread(&byte[1], 1, 1, stream) != 1)
        byte[1] = 0;
    if (getrandom(&byte[2], 1, 0) != 1)
        byte[2] = 0;
    if (device >= 0)
        close(device);
    if (stream != NULL)
        fclose(stream);
    return byte[0] ^ byte[1] ^ byte[2];
}

static void *work(void *unused)
{
    int count = draw() % 8;

    (void)unused;
    for (int i = 0; i <= count; i++) {
        pthread_mutex_lock(&lock);
        rounds++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return rounds >= 2 ? 0 : 1;
}
