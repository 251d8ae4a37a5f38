/* A moment at which a wait ends: soon enough to come before another thread has run, or an hour from now. */
#include <time.h>

#ifdef FIXED
#define LIMIT_MS 3600000
#else
#define LIMIT_MS 50
#endif

static struct timespec moment(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    time.tv_nsec += LIMIT_MS % 1000 * 1000000L;
    time.tv_sec += LIMIT_MS / 1000 + time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}
