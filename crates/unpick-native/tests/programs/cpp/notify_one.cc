// Two workers wait on an atomic start signal while the main thread queues work for them.
//
// Bug: the signal is given with notify_one.
// Fails when both workers wait before the signal comes: one of them is never woken.
// Fix: notify_all.
#include <atomic>
#include <thread>

static std::atomic<int> started;
static std::atomic<int> queued;

int main()
{
    auto work = [] { started.wait(0); };
    std::thread one(work), two(work);
    // The library spins a little before it really waits; this is long enough for both to get there.
    for (int item = 0; item < 48; item++)
        queued++;
    started.store(1);
#ifdef FIXED
    started.notify_all();
#else
    started.notify_one();
#endif
    one.join();
    two.join();
    return 0;
}
