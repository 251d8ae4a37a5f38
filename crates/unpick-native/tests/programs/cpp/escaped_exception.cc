// A worker puts a record into a store that the main thread may have closed.
//
// Bug: a closed store throws, and nothing catches the exception in the thread.
// Fails when the store is closed before the worker writes: std::terminate, so SIGABRT.
// Fix: the worker hands the exception to the main thread through a promise.
#include <cassert>
#include <exception>
#include <future>
#include <mutex>
#include <thread>

struct Closed {};

class Store {
public:
    void put()
    {
        std::lock_guard guard(lock);
        if (is_closed)
            throw Closed();
        records++;
    }

    void close()
    {
        std::lock_guard guard(lock);
        is_closed = true;
    }

    int count()
    {
        std::lock_guard guard(lock);
        return records;
    }

private:
    std::mutex lock;
    bool is_closed = false;
    int records = 0;
};

int main()
{
    Store store;
#ifdef FIXED
    std::promise<void> written;
    std::thread worker([&] {
        try {
            store.put();
            written.set_value();
        } catch (...) {
            written.set_exception(std::current_exception());
        }
    });
    store.close();
    worker.join();
    try {
        written.get_future().get();
        assert(store.count() == 1);
    } catch (const Closed &) {
        assert(store.count() == 0);
    }
#else
    std::thread worker([&] { store.put(); });
    store.close();
    worker.join();
    assert(store.count() == 1);
#endif
    return 0;
}
