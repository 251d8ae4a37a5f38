/* Two threads that are too polite: each raises its flag, sees the other one's, lowers it and tries
 * again. They never end when both always step at the same pace. A third one waits for a flag that
 * nobody ever raises, so that no schedule ends.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static atomic_bool wants[2];
static atomic_bool never;

static void *enter(void *argument)
{
    atomic_bool *mine = argument;
    atomic_bool *others = mine == &wants[0] ? &wants[1] : &wants[0];

    for (;;) {
        atomic_store(mine, true);
        if (!atomic_load(others))
            break;
        atomic_store(mine, false);
    }
    atomic_store(mine, false);
    return NULL;
}

static void *wait_for_ever(void *unused)
{
    (void)unused;
    while (!atomic_load(&never)) {
        /* Nobody raises it. */
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[3];

    pthread_create(&thread[0], NULL, enter, &wants[0]);
    pthread_create(&thread[1], NULL, enter, &wants[1]);
    pthread_create(&thread[2], NULL, wait_for_ever, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
