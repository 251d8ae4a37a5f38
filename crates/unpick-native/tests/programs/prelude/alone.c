// No thread at all, and nothing to decide.
#include <assert.h>
#include <stdlib.h>
#include <time.h>

static int count;

int main(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    assert(++count == 1 && malloc(100));
    return 0;
}
