/* A pointer is looked at twice, and taken away in between: plain accesses, which are points only if they are
 * found to race. The second look is never the first access of its task that races.
 */
#include <pthread.h>
#include <stddef.h>

struct context { int priority; };
struct task { struct context *context; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *look(void *argument)
{
    struct task *task = argument;

#ifdef FIXED
    pthread_mutex_lock(&lock);
#endif
    if (task->context) {
        volatile int priority = task->context->priority;
        (void)priority;
    }
#ifdef FIXED
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

static void *take_away(void *argument)
{
    struct task *task = argument;

    pthread_mutex_lock(&lock);
    task->context = NULL;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    struct context context = {1};
    struct task task = {&context};
    pthread_t one, other;

    pthread_create(&one, NULL, look, &task);
    pthread_create(&other, NULL, take_away, &task);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
