/* Spins for ever in code that calls nobody: an inline assembly loop, which no compiler instruments,
 * waiting for a flag that the main thread sets afterwards.
 *
 * With real threads the main thread sets the flag and the program ends. With one thread at a time
 * the spinning one never gives way.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static int flag;
static sem_t started;

static void *spin(void *unused)
{
    (void)unused;
    sem_post(&started);
#if defined(__x86_64__)
    __asm__ volatile("1: pause\n\t"
                     "cmpl $0, %0\n\t"
                     "je 1b"
                     :
                     : "m"(flag)
                     : "cc", "memory");
#elif defined(__aarch64__)
    int found;
    __asm__ volatile("1: yield\n\t"
                     "ldar %w0, [%1]\n\t"
                     "cbz %w0, 1b"
                     : "=&r"(found)
                     : "r"(&flag)
                     : "memory");
#endif
    return NULL;
}

int main(void)
{
    pthread_t spinner;

    sem_init(&started, 0, 0);
    pthread_create(&spinner, NULL, spin, NULL);
    sem_wait(&started);
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
    pthread_join(spinner, NULL);
    return 0;
}
