// The destructor of a static object leaves a null pointer that a detached thread still follows.
#include <memory>
#include <mutex>
#include <thread>

struct Registry {
    std::mutex mutex;
    std::unique_ptr<int> entry{new int(1)};
    ~Registry()
    {
        std::lock_guard lock(mutex);
        entry.reset();
    }
};

static Registry registry;

int main()
{
    std::thread worker([] {
        for (int i = 0; i < 2; i++) {
            std::lock_guard lock(registry.mutex);
            volatile int value = *registry.entry;
            (void)value;
        }
    });
#ifdef FIXED
    worker.join();
#else
    worker.detach();
#endif
    return 0;
}
