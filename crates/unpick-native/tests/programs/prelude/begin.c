// Asks and makes all kinds of things before its first thread, and checks that each execution finds them
// as it made them. What else it does there is said by its second argument. The first one names a file to
// which every execution adds a line: a random number of the processor's own, taken at the beginning, by
// which the executions that have run the beginning themselves can be told from the others.
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define LARGE (4 << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int turns;
static _Thread_local int mine = 7;
static char large[LARGE] = {1};
static pthread_key_t key;
static int begun, handled, *block;
static char path[256];
static int ends[2];
static char *mapped;

static void handle(int signal) { handled = signal; }

static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000 + time.tv_nsec;
}

static unsigned random_number(void) {
    unsigned number;
    assert(getrandom(&number, sizeof number, 0) == sizeof number);
    return number;
}

static void *work(void *which) {
    assert(mine == 7 && pthread_getspecific(key) == 0);
    mine++;
    atomic_fetch_add(&turns, 1);
    pthread_mutex_lock(&lock);
    block[(long)which]++;
    large[LARGE / 2]++;
    pthread_mutex_unlock(&lock);
    return which;
}

// What cannot be taken back by putting memory back.
static void touch(const char *what) {
    if (!strcmp(what, "file")) {
        int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        assert(file >= 0 && write(file, "x", 1) == 1);
        close(file);
    } else if (!strcmp(what, "pipe")) {
        assert(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
    } else if (!strcmp(what, "mapping")) {
        mapped = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert(mapped != MAP_FAILED && mapped[0] == 0);
        mapped[0] = 1;
    } else if (!strcmp(what, "lock")) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    } else if (!strcmp(what, "directory")) {
        rmdir(path);
        assert(mkdir(path, 0700) == 0);
    }
}

// What came of that.
static void check(const char *what) {
    char byte;
    struct stat found;
    if (!strcmp(what, "file")) {
        FILE *file = fopen(path, "a");
        assert(file && fputc('y', file) == 'y' && fclose(file) == 0);
        assert(stat(path, &found) == 0 && found.st_size == 2);
    } else if (!strcmp(what, "pipe")) {
        assert(read(ends[0], &byte, 1) == 1 && byte == 'x');
    } else if (!strcmp(what, "mapping")) {
        assert(mapped[0] == 1 && munmap(mapped, 4096) == 0);
    } else if (!strcmp(what, "directory")) {
        assert(rmdir(path) == 0);
    }
}

__attribute__((target("rdrnd"))) int main(int count, char **arguments) {
    unsigned long long began = 0;
    while (!_rdrand64_step(&began)) {}
    assert(count == 3 && ++begun == 1 && turns == 0 && mine == 7);
    snprintf(path, sizeof path, "%s.%s", arguments[1], arguments[2]);
    long first = now(), second = now();
    unsigned number = random_number();
    struct sigaction action = {.sa_handler = handle};
    assert(sigaction(SIGUSR1, &action, 0) == 0);
    assert(pthread_key_create(&key, free) == 0 && pthread_setspecific(key, malloc(8)) == 0);
    block = calloc(2, sizeof *block);
    char *freed = malloc(100);
    memset(freed, 1, 100);
    free(freed);
    atomic_store(&turns, 1);
    assert(large[LARGE / 2] == 0 && large[LARGE / 4] == 0);
    large[LARGE / 4] = 2;
    printf("it begins\n");
    touch(arguments[2]);

    pthread_t tasks[2];
    for (long i = 0; i < 2; i++) assert(pthread_create(&tasks[i], 0, work, (void *)i) == 0);
    for (long i = 0; i < 2; i++) assert(pthread_join(tasks[i], 0) == 0);
    assert(turns == 3 && block[0] == 1 && block[1] == 1 && mine == 7 && begun == 1);
    assert(large[0] == 1 && large[LARGE / 2] == 2 && large[LARGE / 4] == 2);
    assert(first < second && second < now() && random_number() != number);
    raise(SIGUSR1);
    assert(handled == SIGUSR1 && pthread_getspecific(key) != 0);
    check(arguments[2]);
    FILE *log = fopen(arguments[1], "a");
    assert(log && fprintf(log, "%llu\n", began) > 0 && fclose(log) == 0);
    mine++;
    return 0;
}
