// One task reads a line from a pipe by way of stdio, whose reads are the C library's own affair. The other one
// sends the line in two parts. Buggy: a flag is set between them that the reader takes for the end.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int ends[2];
static atomic_int is_sent;

static void *receive(void *unused) {
    char line[16] = "";
    FILE *in = fdopen(ends[0], "r");
    assert(fgets(line, sizeof line, in) && strcmp(line, "ab\n") == 0);
    assert(atomic_load(&is_sent));
    return unused;
}

int main(void) {
    pthread_t reader;
    assert(pipe(ends) == 0);
    pthread_create(&reader, 0, receive, 0);
    assert(write(ends[1], "a", 1) == 1);
#ifdef FIXED
    atomic_store(&is_sent, 1);
    assert(write(ends[1], "b\n", 2) == 2);
#else
    assert(write(ends[1], "b\n", 2) == 2);
    atomic_store(&is_sent, 1);
#endif
    pthread_join(reader, 0);
    return 0;
}
