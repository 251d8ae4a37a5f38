/* One thread takes away memory that another one writes. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

static atomic_int *number;

static void *write_it(void *unused) {
    atomic_store(number, 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    number = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_create(&thread, 0, write_it, 0);
#ifdef UNMAP
    munmap(number, 4096);
#else
    mprotect(number, 4096, PROT_READ);
#endif
    pthread_join(thread, 0);
    return 0;
}
