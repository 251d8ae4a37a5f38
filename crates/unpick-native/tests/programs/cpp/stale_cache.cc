// A cache behind a std::shared_mutex counts how often it had to load.
//
// Bug: the look-up under the shared lock and the load under the exclusive lock are not one step, and
// nobody looks again in between.
// Fails when both threads miss before either loads: the value is loaded twice.
// Fix: look again under the exclusive lock.
#include <cassert>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <thread>

class Cache {
public:
    int get()
    {
        {
            std::shared_lock shared(lock);
            if (value)
                return *value;
        }
        std::unique_lock exclusive(lock);
#ifdef FIXED
        if (value)
            return *value;
#endif
        loads++;
        value = 42;
        return *value;
    }

    int load_count()
    {
        std::shared_lock shared(lock);
        return loads;
    }

private:
    std::shared_mutex lock;
    std::optional<int> value;
    int loads = 0;
};

int main()
{
    Cache cache;
    std::thread one([&] { assert(cache.get() == 42); });
    std::thread two([&] { assert(cache.get() == 42); });
    one.join();
    two.join();
    assert(cache.load_count() == 1);
    return 0;
}
