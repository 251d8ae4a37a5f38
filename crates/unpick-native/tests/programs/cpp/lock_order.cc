// Two carts swap their contents, in both directions at the same time.
//
// Bug: swap() locks its own cart, then the other one.
// Fails when each of the two threads holds its own cart and waits for the other.
// Fix: std::scoped_lock takes both without deadlock.
#include <cassert>
#include <mutex>
#include <thread>
#include <utility>

class Cart {
public:
    explicit Cart(int items) : items(items) {}

    void swap(Cart &other)
    {
#ifdef FIXED
        std::scoped_lock both(lock, other.lock);
#else
        std::lock_guard own(lock);
        std::lock_guard others(other.lock);
#endif
        std::swap(items, other.items);
    }

    int count() const { return items; }

private:
    std::mutex lock;
    int items;
};

int main()
{
    Cart left(1), right(2);
    std::thread one([&] { left.swap(right); });
    std::thread two([&] { right.swap(left); });
    one.join();
    two.join();
    assert(left.count() == 1 && right.count() == 2);
    return 0;
}
