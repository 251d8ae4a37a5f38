// Two threads write under shared locks of a shared mutex.
#include <mutex>
#include <shared_mutex>
#include <thread>

#ifdef FIXED
using Lock = std::unique_lock<std::shared_mutex>;
#else
using Lock = std::shared_lock<std::shared_mutex>;
#endif

int main() {
    std::shared_mutex mutex;
    int value = 0;
    auto add = [&] {
        Lock lock(mutex);
        value++;
    };
    std::thread other(add);
    add();
    other.join();
    return value < 0;
}
