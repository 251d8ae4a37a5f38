// A registry that is made on first use.
//
// Bug: a plain pointer is tested and set without synchronisation.
// Fails when both threads find no registry: two are made, and one entry is lost. The accesses race in
// every schedule.
// Fix: std::call_once.
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

struct Registry {
    std::atomic<int> entries{0};
};

static Registry *registry;
#ifdef FIXED
static std::once_flag made;
#endif

static Registry &instance()
{
#ifdef FIXED
    std::call_once(made, [] { registry = new Registry; });
#else
    if (registry == nullptr)
        registry = new Registry;
#endif
    return *registry;
}

int main()
{
    auto enter = [] { instance().entries++; };
    std::thread one(enter), two(enter);
    one.join();
    two.join();
    assert(registry->entries == 2);
    delete registry;
    return 0;
}
