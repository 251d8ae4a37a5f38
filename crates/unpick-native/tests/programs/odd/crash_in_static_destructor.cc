// The destructor of a static object aborts after main has returned, if a worker said so.
#include <atomic>
#include <cstdlib>
#include <thread>

struct Guard {
    std::atomic<bool> is_broken{false};

    ~Guard()
    {
        if (is_broken)
            std::abort();
    }
};

static Guard guard;

int main()
{
    std::thread worker([] { guard.is_broken = true; });
    worker.join();
    return 0;
}
