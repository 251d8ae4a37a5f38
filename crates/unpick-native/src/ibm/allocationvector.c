/* allocationvector: two threads allocate blocks. Finding a free block and taking it are two critical sections, so
   that both can take the same one. An idle loop between the starts of the threads hides it. Atomicity violation.
   Arguments: blocks each (20), turns of the idle loop (1000). */
#include "ibm.h"

#define BLOCKS_MAX 4096
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_taken[BLOCKS_MAX];
static int block_count, each;
static volatile int clash;

static int find_free(void) {
    int found = -1;
    pthread_mutex_lock(&lock);
    for (int block = 0; block < block_count && found < 0; block++)
        if (!is_taken[block])
            found = block;
    pthread_mutex_unlock(&lock);
    return found;
}

static int take(int block) {
    pthread_mutex_lock(&lock);
    int was_taken = is_taken[block];
    is_taken[block] = 1;
    pthread_mutex_unlock(&lock);
    return !was_taken;
}

static void *worker(void *argument) {
    (void)argument;
    for (int number = 0; number < each; number++) {
        int block = find_free();
        if (block >= 0 && !take(block))
            clash = 1;
    }
    return NULL;
}

int main(int argc, char **argv) {
    each = size_of(argc, argv, 1, 20);
    int turns = size_of(argc, argv, 2, 1000);
    block_count = 2 * each > BLOCKS_MAX ? BLOCKS_MAX : 2 * each;
    start(worker, 0);
    for (volatile int turn = 0; turn < turns; turn++) {
    }
    start(worker, 1);
    join_all();
    return verdict(!clash, "no block is taken twice");
}
