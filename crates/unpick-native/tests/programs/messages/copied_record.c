// One thread copies a record of which another one writes a part.
#include <pthread.h>
#include <string.h>

struct record {
    int head;
    int tail;
    char name[64];
};
static struct record record;
struct record copy;

static void *rename_it(void *argument) {
    record.name[5] = 'x';
    return argument;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, rename_it, 0);
    memcpy(&copy, &record, sizeof copy);
    pthread_join(thread, 0);
    return 0;
}
