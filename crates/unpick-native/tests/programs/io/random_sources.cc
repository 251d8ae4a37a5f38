// Random numbers from everywhere must be the same in every execution: a worker and the main thread
// increment a counter without a lock if the numbers say so.
//
// Bug: the increment is not atomic.
// Fails when the other thread increments in between.
// Fix: a lock.
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <random>
#include <unistd.h>

static std::mutex lock;
static volatile int counter;

static unsigned draw()
{
    unsigned sum = std::random_device()();
    unsigned bytes[2] = {0, 0};
    int file = open("/dev/urandom", O_RDONLY);
    FILE *stream = fopen("/dev/random", "r");
    if (read(file, &bytes[0], sizeof bytes[0]) != sizeof bytes[0] || stream == nullptr
        || fread(&bytes[1], sizeof bytes[1], 1, stream) != 1)
        abort();
    close(file);
    fclose(stream);
    return sum ^ bytes[0] ^ bytes[1];
}

static void *work(void *)
{
    for (unsigned round = draw() % 4 + 1; round > 0; round--) {
#ifdef FIXED
        std::lock_guard<std::mutex> guard(lock);
#endif
        counter = counter + 1;
    }
    return nullptr;
}

int main()
{
    pthread_t worker[2];
    for (pthread_t &it : worker)
        pthread_create(&it, nullptr, work, nullptr);
    for (pthread_t &it : worker)
        pthread_join(it, nullptr);
    return 0;
}
