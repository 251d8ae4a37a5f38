/* A logger and a configuration, each behind its own lock, used together by two threads.
 *
 * Bug: one thread locks configuration then log, the other log then configuration.
 * Fails when each thread holds its first lock and waits for the other one.
 * Fix: both lock the configuration first.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t config_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int log_level;
static int log_lines;

static void *set_level(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&config_lock);
    log_level = 2;
    pthread_mutex_lock(&log_lock);
    log_lines++;
    pthread_mutex_unlock(&log_lock);
    pthread_mutex_unlock(&config_lock);
    return NULL;
}

static void *write_line(void *unused)
{
    (void)unused;
#ifdef FIXED
    pthread_mutex_lock(&config_lock);
    pthread_mutex_lock(&log_lock);
#else
    pthread_mutex_lock(&log_lock);
    pthread_mutex_lock(&config_lock);
#endif
    if (log_level < 3)
        log_lines++;
    pthread_mutex_unlock(&log_lock);
    pthread_mutex_unlock(&config_lock);
    return NULL;
}

int main(void)
{
    pthread_t setter, writer;

    pthread_create(&setter, NULL, set_level, NULL);
    pthread_create(&writer, NULL, write_line, NULL);
    pthread_join(setter, NULL);
    pthread_join(writer, NULL);
    return log_lines == 2 ? 0 : 1;
}
