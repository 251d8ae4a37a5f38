/* Writes over all memory that it shares with other processes, in one order of its threads. PATTERN: 1 all ones, 2 small
   numbers, 3 random bytes. START: how far from the beginning of each mapping; SIZE: how many bytes at most. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_int first, second;

static void scribble(unsigned char *from, unsigned long size) {
    static unsigned long state = 88172645463325252ul;
    for (unsigned long at = 0; at < size; at++) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        switch (PATTERN) {
        case 1: from[at] = 0xff; break;
        case 2: from[at] = at % 4 == 0; break;
        default: from[at] = (unsigned char)state; break;
        }
    }
}

static void scribble_all(void) {
    static char text[1 << 16];
    FILE *maps = fopen("/proc/self/maps", "r");
    size_t length = fread(text, 1, sizeof text - 1, maps);
    text[length] = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(0, "\n")) {
        unsigned long from, to;
        char mode[8];
        if (sscanf(line, "%lx-%lx %7s", &from, &to, mode) != 3 || strcmp(mode, "rw-s"))
            continue;
        unsigned long size = to - from > START ? to - from - START : 0;
        scribble((unsigned char *)from + START, size < SIZE ? size : SIZE);
    }
}

static void *work(void *unused) {
    atomic_store(&first, 1);
    atomic_store(&second, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    if (atomic_load(&first) && !atomic_load(&second))
        scribble_all();
    pthread_join(thread, 0);
    return 0;
}
