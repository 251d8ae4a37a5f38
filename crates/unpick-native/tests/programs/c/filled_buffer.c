// A buffer is filled by read while another thread already sends it on by write.
#include <pthread.h>
#include <unistd.h>

static char buffer[32];
static int in[2], out[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *fill(void *none) {
    pthread_mutex_lock(&lock);
    if (read(in[0], buffer, sizeof buffer) != 5)
        _exit(1);
    pthread_mutex_unlock(&lock);
    return none;
}

int main(void) {
    if (pipe(in) || pipe(out) || write(in[1], "hello", 5) != 5)
        return 1;
    pthread_t other;
    pthread_create(&other, 0, fill, 0);
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    if (write(out[1], buffer, 5) != 5)
        return 1;
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    pthread_join(other, 0);
    return 0;
}
