// Most executions ask nothing of the kernel. Some do, by themselves, and leave a descriptor behind, which the next
// one must not find.
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>

static atomic_int first;

// The first free descriptor from a number on, by hand.
static long duplicate(long from) {
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_fcntl), "D"(0), "S"(F_DUPFD), "d"(from)
                     : "rcx", "r11", "memory");
    return result;
}

static void *work(void *number) {
    int none = 0;
    atomic_compare_exchange_strong(&first, &none, (int)(intptr_t)number);
    return 0;
}

int main(void) {
    pthread_t tasks[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&tasks[i], 0, work, (void *)(intptr_t)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(tasks[i], 0);
    assert(first != 3 || duplicate(500) == 500);
}
