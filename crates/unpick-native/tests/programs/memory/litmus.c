// Performs a litmus test: the first argument is the file to which it adds a line with its outcome, each
// further one what a task does. With PLAIN the relaxed accesses are plain ones.
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TASKS 4
#define READS 16
#define VARIABLES 3

#ifdef PLAIN
static volatile unsigned long variables[VARIABLES];
#define WRITE(x, value) (variables[x] = (value))
#define READ(x) ((unsigned)variables[x])
#else
// Side by side in one word.
static atomic_uint variables[VARIABLES];
#define WRITE(x, value) atomic_store_explicit(&variables[x], value, memory_order_relaxed)
#define READ(x) atomic_load_explicit(&variables[x], memory_order_acquire)
static unsigned add(int x, unsigned value) {
    return atomic_fetch_add_explicit(&variables[x], value, memory_order_relaxed);
}
static unsigned exchange(int x, unsigned old, unsigned new) {
    atomic_compare_exchange_strong_explicit(&variables[x], &old, new, memory_order_relaxed,
                                            memory_order_relaxed);
    return old;
}
#endif

static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static const char *programs[TASKS];
static unsigned reads[TASKS][READS];
static int counts[TASKS];

static void *perform(void *argument) {
    int task = (int)(long)argument, count = 0;
    unsigned last = ~0u, own[READS];
    // Each instruction is a letter and three digits.
    const char *end = programs[task] + strlen(programs[task]);
    for (const char *next = programs[task]; next < end; next += 4) {
        int x = next[1] - '0';
        unsigned value = next[2] - '0', other = next[3] - '0';
        int is_read = 0;
        switch (*next) {
        case 'w': WRITE(x, value); break;
        case 'r': last = READ(x), is_read = 1; break;
        case 'f':
            switch (x) {
            case 0: atomic_thread_fence(memory_order_seq_cst); break;
            case 1: atomic_thread_fence(memory_order_release); break;
            case 2: atomic_thread_fence(memory_order_acquire); break;
            default: atomic_thread_fence(memory_order_acq_rel); break;
            }
            break;
        case 'p': if (last == value) abort(); break;
        case 'u': if (last != value) next += 4 * other; break;
        case 'l': pthread_mutex_lock(&mutexes[x]); break;
        case 'v': pthread_mutex_unlock(&mutexes[x]); break;
#ifndef PLAIN
        case 'e': atomic_store_explicit(&variables[x], value, memory_order_release); break;
        case 's': atomic_store(&variables[x], value); break;
        case 'a': last = add(x, value), is_read = 1; break;
        case 'x': last = exchange(x, value, other), is_read = 1; break;
#endif
        default: _exit(3);
        }
        if (is_read)
            own[count++] = last;
    }
    memcpy(reads[task], own, sizeof own);
    counts[task] = count;
    return 0;
}

int main(int argc, char **argv) {
    pthread_t threads[TASKS];
    int tasks = argc - 2;
    for (int task = 0; task < tasks; task++)
        programs[task] = argv[2 + task];
    for (int task = 0; task < tasks; task++)
        pthread_create(&threads[task], 0, perform, (void *)(long)task);
    for (int task = 0; task < tasks; task++)
        pthread_join(threads[task], 0);
    char line[256];
    int length = 0;
    for (int task = 0; task < tasks; task++) {
        for (int read = 0; read < counts[task]; read++)
            length += sprintf(line + length, "%u", reads[task][read]);
        line[length++] = ' ';
    }
    for (int x = 0; x < VARIABLES; x++)
        length += sprintf(line + length, "%u", (unsigned)variables[x]);
    line[length++] = '\n';
    int file = open(argv[1], O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (write(file, line, length) != length)
        return 2;
    close(file);
    return 0;
}
