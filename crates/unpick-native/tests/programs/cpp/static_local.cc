// A static local object takes a lock when it is made on first use.
//
// Bug: one thread asks for the object while it holds that lock.
// Fails when the other thread is inside the initialisation and wants the lock, while the first holds
// the lock and waits for the initialisation (or, alone, for itself).
// Fix: ask for the object before taking the lock.
#include <cassert>
#include <mutex>
#include <thread>

static std::mutex ids_lock;
static int next_id = 1;

struct Service {
    int id;

    Service()
    {
        std::lock_guard guard(ids_lock);
        id = next_id++;
    }
};

static Service &service()
{
    static Service instance;
    return instance;
}

int main()
{
    std::thread one([] { assert(service().id > 0); });
    std::thread two([] {
#ifdef FIXED
        Service &found = service();
        std::lock_guard guard(ids_lock);
#else
        std::lock_guard guard(ids_lock);
        Service &found = service();
#endif
        assert(found.id < next_id);
    });
    one.join();
    two.join();
    return 0;
}
