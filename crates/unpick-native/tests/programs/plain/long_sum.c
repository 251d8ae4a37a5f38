/* Computes for long between two scheduling points, and does not wait for anybody. */
#include <pthread.h>
#include <stddef.h>

static volatile int numbers[1000];
static volatile int rounds = 300;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile long sum;

static void *add(void *unused)
{
    pthread_mutex_lock(&lock);
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < 1000; i++)
            sum += numbers[i];
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t one, other;

    pthread_create(&one, NULL, add, NULL);
    pthread_create(&other, NULL, add, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
