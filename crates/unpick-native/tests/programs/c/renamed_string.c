// A name is changed by strcpy and strcat while another thread looks for a letter in it and measures it.
#include <pthread.h>
#include <string.h>

static char name[64] = "first";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *volatile next = "second";
static volatile size_t length;

static void *change(void *none) {
    pthread_mutex_lock(&lock);
    strcpy(name, next);
    strcat(name, next);
    pthread_mutex_unlock(&lock);
    return none;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, change, 0);
#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    if (strchr(name, 'f'))
        length = strlen(name);
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    pthread_join(other, 0);
    return 0;
}
