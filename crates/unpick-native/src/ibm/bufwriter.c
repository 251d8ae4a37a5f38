/* bufwriter: writers count what they put into a buffer, a checker counts what it takes out. One of the writers does
   without the lock. Data race.
   Arguments: writers (4), items each (25). */
#include "ibm.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int buffer[1 << 16], used;
static int each;

static void put(int value) {
    int place = used;
    buffer[place & 0xffff] = value;
    used = place + 1;
}

static void *writer(void *argument) {
    for (int item = 0; item < each; item++) {
        if (argument) {
            pthread_mutex_lock(&lock);
            put(1);
            pthread_mutex_unlock(&lock);
        } else {
            put(1); /* the writer that does not lock */
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    int writer_count = size_of(argc, argv, 1, 4), total = 0;
    each = size_of(argc, argv, 2, 25);
    for (int number = 0; number < writer_count; number++)
        start(writer, number);
    join_all();
    for (int place = 0; place < used; place++)
        total += buffer[place & 0xffff];
    return verdict(total == writer_count * each, "everything that was written is there");
}
