/* What must hold under every memory model, where a store that waits in a buffer is in the way of something
 * else. The argument says what. */
#define _GNU_SOURCE
#include <assert.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define RELAXED memory_order_relaxed
#define RELEASE memory_order_release
#define ACQUIRE memory_order_acquire

typedef void *task(void *);

static atomic_int data, flag, word;

static void run(task *first, task *second, task *third)
{
    task *tasks[] = {first, second, third};
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        if (tasks[i])
            pthread_create(&threads[i], 0, tasks[i], 0);
    for (int i = 0; i < 3; i++)
        if (tasks[i])
            pthread_join(threads[i], 0);
}

/* The exchange is a fence, although nobody is told of it. */
static void *publish_foreign(void *unused)
{
    int one = 1;
    atomic_store_explicit(&data, 1, RELAXED);
    __asm__ volatile("xchg %0, %1" : "+r"(one), "+m"(flag) : : "memory");
    return unused;
}

static void *look(void *unused)
{
    if (atomic_load_explicit(&flag, ACQUIRE) == 1)
        assert(atomic_load_explicit(&data, RELAXED) == 1);
    return unused;
}

/* The same with a reader of whom nobody is told either. */
static int peek(atomic_int *variable)
{
    int value;
    __asm__ volatile("movl %1, %0" : "=r"(value) : "m"(*variable) : "memory");
    return value;
}

static void *publish_once(void *unused)
{
    if (atomic_load_explicit(&flag, ACQUIRE) == 0)
        publish_foreign(unused);
    return unused;
}

static void *peek_at_flag(void *unused)
{
    atomic_load_explicit(&word, RELAXED);
    if (peek(&flag) == 1)
        assert(atomic_load_explicit(&data, RELAXED) == 1);
    return unused;
}

/* The same with a flag that nobody has told of, and a system call as such code makes it. */
static void *publish_and_wake(void *unused)
{
    publish_foreign(unused);
    syscall(SYS_futex, &flag, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
    return unused;
}

/* The memory is gone before the store is seen. */
static void *unmap(void *unused)
{
    atomic_int *page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    atomic_store_explicit(page, 1, RELAXED);
    munmap(page, 4096);
    return unused;
}

/* The frame is gone before the store is seen, and another one is there. */
static atomic_int *_Atomic known;

__attribute__((noinline)) static void store_to_frame(void)
{
    atomic_int local[64];
    memset(local, 0, sizeof local);
    atomic_store_explicit(&known, local, RELAXED);
    for (int i = 0; i < 64; i++)
        atomic_store_explicit(&local[i], -1, RELAXED);
}

__attribute__((noinline)) static int use_stack(int depth)
{
    volatile int own[4] = {depth, 1, 2, 3};
    if (depth > 0)
        atomic_load_explicit(&data, RELAXED);
    int below = depth > 0 ? use_stack(depth - 1) : 0;
    assert(own[0] == depth && own[3] == 3);
    return below + own[1];
}

static void *return_early(void *unused)
{
    store_to_frame();
    assert(use_stack(4) == 5);
    return unused;
}

/* A waiter must not miss a wake-up because of what it has stored. */
static void *wait_for_word(void *unused)
{
    atomic_store_explicit(&data, 1, RELAXED);
    while (atomic_load_explicit(&word, ACQUIRE) == 0)
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0);
    return unused;
}

static void *wake(void *unused)
{
    atomic_store(&word, 1);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
    return unused;
}

/* A store to a part of what was stored before it is not overtaken by that. */
static union {
    volatile unsigned long whole;
    atomic_uint half[2];
} both;

static void *store_twice(void *unused)
{
    both.whole = 0x100000001;
    atomic_store_explicit(&both.half[1], 2, RELAXED);
    return unused;
}

static void *read_whole(void *unused)
{
    assert(both.whole != 0x200000000);
    return unused;
}

/* Who has seen what the first one published may use it, although the third one's store waits. */
static int message;

static void *publish(void *unused)
{
    message = 1;
    atomic_store_explicit(&flag, 1, RELEASE);
    return unused;
}

static void *read_message(void *unused)
{
    if (atomic_load_explicit(&flag, ACQUIRE) == 1)
        assert(message == 1);
    return unused;
}

static void *publish_other(void *unused)
{
    atomic_store_explicit(&flag, 2, RELEASE);
    return unused;
}

/* Who has seen the end of a thread sees what it stored. */
static void *store_and_end(void *unused)
{
    atomic_store_explicit(&data, 1, RELAXED);
    return unused;
}

static void join_by_trying(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, store_and_end, 0);
    do
        atomic_store_explicit(&word, 1, RELAXED);
    while (pthread_tryjoin_np(thread, 0));
    assert(atomic_load_explicit(&data, RELAXED) == 1);
    run(look, 0, 0);
    assert(word == 1);
}

/* A signal goes to somebody who can take it. */
static atomic_int arrived;

static void arrive(int signal)
{
    (void)signal;
    atomic_fetch_add(&arrived, 1);
}

static void mask_signal(int how)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(how, &set, 0);
}

static void *send_signal(void *unused)
{
    atomic_store_explicit(&data, 1, RELAXED);
    kill(getpid(), SIGUSR1);
    return unused;
}

static void *take_signal(void *unused)
{
    mask_signal(SIG_UNBLOCK);
    while (atomic_load_explicit(&arrived, RELAXED) == 0)
        usleep(1);
    return unused;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "foreign")) {
        assert(atomic_load(&flag) == 0);
        run(publish_foreign, look, 0);
    } else if (!strcmp(what, "once")) {
        run(publish_once, peek_at_flag, 0);
    } else if (!strcmp(what, "wake")) {
        run(publish_and_wake, peek_at_flag, 0);
    } else if (!strcmp(what, "unmap")) {
        run(unmap, look, 0);
    } else if (!strcmp(what, "frame")) {
        run(return_early, look, 0);
        pthread_t thread;
        pthread_create(&thread, 0, look, 0);
        return_early(0);
        pthread_join(thread, 0);
    } else if (!strcmp(what, "futex")) {
        run(wait_for_word, wake, 0);
    } else if (!strcmp(what, "mixed")) {
        run(store_twice, read_whole, 0);
        assert(both.half[0] == 1 && both.half[1] == 2);
    } else if (!strcmp(what, "published")) {
        run(publish, read_message, publish_other);
    } else if (!strcmp(what, "tryjoin")) {
        join_by_trying();
    } else if (!strcmp(what, "signal")) {
        signal(SIGUSR1, arrive);
        mask_signal(SIG_BLOCK);
        run(send_signal, take_signal, 0);
        assert(arrived == 1);
    } else {
        return 2;
    }
    return 0;
}
