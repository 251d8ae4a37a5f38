// The destructor of a static object frees what a detached thread still looks at.
#include <mutex>
#include <thread>

struct Registry {
    std::mutex mutex;
    int *entry = new int(1);
    ~Registry()
    {
        std::lock_guard lock(mutex);
#ifndef FIXED
        delete entry;
#endif
    }
};

static Registry registry;

int main()
{
    std::thread([] {
        for (int i = 0; i < 2; i++) {
            std::lock_guard lock(registry.mutex);
            volatile int value = *registry.entry;
            (void)value;
        }
    }).detach();
    return 0;
}
