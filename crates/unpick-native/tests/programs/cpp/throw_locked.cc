// A withdrawal throws if the account does not cover it; a deposit may come before or after.
//
// Bug: the lock is taken and let go by hand, and the throw jumps over the unlock.
// Fails when the deposit comes after the withdrawal that throws: it waits for ever.
// Fix: std::lock_guard.
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

static std::mutex lock;
static int balance = 10;

static void withdraw(int amount)
{
#ifdef FIXED
    std::lock_guard guard(lock);
#else
    lock.lock();
#endif
    if (balance < amount)
        throw std::runtime_error("not covered");
    balance -= amount;
#ifndef FIXED
    lock.unlock();
#endif
}

int main()
{
    std::thread spender([] {
        try {
            withdraw(15);
        } catch (const std::runtime_error &) {
        }
    });
    std::thread saver([] {
        std::lock_guard guard(lock);
        balance += 5;
    });
    spender.join();
    saver.join();
    assert(balance == 0 || balance == 15);
    return 0;
}
