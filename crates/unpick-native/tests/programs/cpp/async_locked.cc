// A report adds up two halves; one is computed by std::async.
//
// Bug: the main thread waits for the future while it holds the lock that the task needs.
// Fails when the task has not taken the lock yet: each waits for the other.
// Fix: wait first, lock afterwards.
#include <cassert>
#include <future>
#include <mutex>

static std::mutex lock;
static int total;

int main()
{
    std::future<int> half = std::async(std::launch::async, [] {
        std::lock_guard guard(lock);
        total += 1;
        return 20;
    });
#ifdef FIXED
    int found = half.get();
    std::lock_guard guard(lock);
#else
    std::lock_guard guard(lock);
    int found = half.get();
#endif
    total += found;
    assert(total == 21);
    return 0;
}
