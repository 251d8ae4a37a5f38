/* One order of two stores is a failure; the other one ends the process in a way that no runtime sees (END 1), or never
   ends (END 2), or is as any other (END 0). FLIP 0 or 1 says which is which. With RARE, the bad end takes a third task that comes between the two. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int first, second, between;

static void end_badly(void) {
#if END == 0
    return;
#elif END == 1
    /* kill(getpid(), SIGKILL), by hand. */
    long process, result;
    __asm__ volatile("syscall" : "=a"(process) : "a"(39L) : "rcx", "r11", "memory");
    __asm__ volatile("syscall" : "=a"(result) : "a"(62L), "D"(process), "S"(9L) : "rcx", "r11", "memory");
#endif
    for (volatile int turns = 0;; turns++)
        ;
}

static void *store(void *unused) {
    atomic_store(&first, 1);
    atomic_store(&second, 1);
    return unused;
}

#ifdef RARE
static void *come_between(void *unused) {
    atomic_store(&between, atomic_load(&first) && !atomic_load(&second));
    return unused;
}
#endif

int main(void) {
    pthread_t thread, other;
    pthread_create(&thread, 0, store, 0);
#ifdef RARE
    pthread_create(&other, 0, come_between, 0);
#endif
    int seen = atomic_load(&first);
    int later = atomic_load(&second);
#ifdef RARE
    pthread_join(other, 0);
    if (between && seen && !later)
        end_badly();
#else
    if (seen && later == FLIP)
        end_badly();
#endif
    assert(!seen || later == FLIP);
    pthread_join(thread, 0);
    return 0;
}
