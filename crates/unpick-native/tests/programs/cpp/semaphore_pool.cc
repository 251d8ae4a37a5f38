// A pool of one connection: a std::counting_semaphore counts the free ones, a vector holds them.
//
// Bug: giving back raises the semaphore before the connection is in the vector.
// Fails when the next user passes the semaphore and finds the vector empty.
// Fix: put it back first.

// The semaphore of libstdc++ 12 has a lost wake-up of its own: a waiter that saw a count of one can go
// to sleep on that value after another thread has taken and released it. The one on top of sem_t has
// not, and this program is about the pool.
#define _GLIBCXX_USE_POSIX_SEMAPHORE 1
#include <cassert>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

class Pool {
public:
    int take()
    {
        available.acquire();
        std::lock_guard guard(lock);
        assert(!idle.empty());
        int connection = idle.back();
        idle.pop_back();
        return connection;
    }

    void give_back(int connection)
    {
#ifndef FIXED
        available.release();
#endif
        {
            std::lock_guard guard(lock);
            idle.push_back(connection);
        }
#ifdef FIXED
        available.release();
#endif
    }

private:
    std::counting_semaphore<1> available{1};
    std::mutex lock;
    std::vector<int> idle{7};
};

int main()
{
    Pool pool;
    auto use = [&] { pool.give_back(pool.take()); };
    std::thread one(use), two(use);
    one.join();
    two.join();
    return 0;
}
