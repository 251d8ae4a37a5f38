// A function of call_once that throws gives the flag back: the other thread initialises.
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

std::once_flag flag;
int calls;

static void initialise() {
    try {
        std::call_once(flag, [] {
            if (calls++ == 0) throw std::runtime_error("first");
        });
    } catch (const std::runtime_error &) {
    }
}

int main() {
    std::thread one(initialise), other(initialise);
    one.join();
    other.join();
    assert(calls == 2);
    static int value = [] { return 5; }();
    assert(value == 5);
}
