// Prints to where nobody reads, then has its output go to a file, in a way that the second argument says.
// What is written must be what is read there. The first argument names the file.
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static char *path, *way;

static int is(const char *name) { return !strcmp(way, name); }

static void print_nowhere(void) {
    struct iovec pieces[2] = {{"ab", 2}, {"cde", 3}};
    assert(write(1, "abc", 3) == 3 && writev(1, pieces, 2) == 5);
    assert(write(0, "abc", 3) == -1 && errno == EBADF);
}

static void *work(void *unused) {
    int nowhere = dup(1);
    print_nowhere();
    if (is("fclose")) fclose(stdout);
    if (is("close")) assert(close(1) == 0 && write(1, "x", 1) == -1 && errno == EBADF);
    if (is("close_range")) assert(close_range(1, 1, 0) == 0);
    if (is("syscall")) assert(syscall(SYS_close, 1) == 0);
    if (is("freopen")) {
        assert(freopen(path, "w+", stdout));
    } else {
        // The lowest number that is free.
        int file = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
        if (is("dup2")) assert(dup2(file, 1) == 1);
        if (is("dup3")) assert(dup3(file, 1, O_CLOEXEC) == 1);
        if (file != 1) close(file);
    }
    char found[10] = {0};
    assert(write(1, "found", 5) == 5 && lseek(1, 0, SEEK_SET) == 0);
    assert(read(1, found, sizeof found - 1) == 5 && !strcmp(found, "found"));
    // Descriptors are not put back for the next execution.
    assert(dup2(nowhere, 1) == 1 && close(nowhere) == 0);
    print_nowhere();
    return unused;
}

int main(int count, char **arguments) {
    pthread_t task;
    assert(count == 3);
    path = arguments[1];
    way = arguments[2];
    print_nowhere();
    pthread_create(&task, 0, work, 0);
    pthread_join(task, 0);
    return 0;
}
