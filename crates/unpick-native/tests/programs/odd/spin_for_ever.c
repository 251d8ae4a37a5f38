/* A worker that never comes back: an inline assembly loop without an end. Even real threads do not
 * end this program.
 */
#include <pthread.h>
#include <stddef.h>

static void *spin(void *unused)
{
    (void)unused;
#if defined(__x86_64__)
    __asm__ volatile("1: pause\n\t"
                     "jmp 1b");
#elif defined(__aarch64__)
    __asm__ volatile("1: yield\n\t"
                     "b 1b");
#endif
    return NULL;
}

int main(void)
{
    pthread_t spinner;

    pthread_create(&spinner, NULL, spin, NULL);
    pthread_join(spinner, NULL);
    return 0;
}
