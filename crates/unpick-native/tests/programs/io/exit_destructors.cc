// A worker leaves with pthread_exit from within two scopes.
//
// Bug: one of the locks is not a guard.
// Fails always: the main thread waits for it.
// Fix: guards for both, whose destructors pthread_exit runs.
#include <cassert>
#include <mutex>
#include <pthread.h>

static std::mutex one, other;

static void leave()
{
    std::lock_guard<std::mutex> guard(one);
    pthread_exit(nullptr);
}

static void *work(void *)
{
#ifdef FIXED
    std::lock_guard<std::mutex> guard(other);
#else
    other.lock();
#endif
    leave();
    return nullptr;
}

int main()
{
    pthread_t worker;
    pthread_create(&worker, nullptr, work, nullptr);
    pthread_join(worker, nullptr);
    one.lock();
    other.lock();
    return 0;
}
