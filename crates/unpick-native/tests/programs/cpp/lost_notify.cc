// The main thread waits until a worker has opened a connection.
//
// Bug: the waiter calls wait() without a predicate.
// Fails when the worker notifies before the main thread waits: nobody notifies again.
// Fix: wait() with a predicate.
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex lock;
static std::condition_variable changed;
static bool is_open;

int main()
{
    std::jthread worker([] {
        std::lock_guard guard(lock);
        is_open = true;
        changed.notify_one();
    });
    std::unique_lock guard(lock);
#ifdef FIXED
    changed.wait(guard, [] { return is_open; });
#else
    changed.wait(guard);
#endif
    return 0;
}
