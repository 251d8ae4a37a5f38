// Two loaders fill a table; the main thread waits for them at a std::latch and adds up.
//
// Bug: a loader counts down before it has written its entry.
// Fails when the main thread passes the latch and reads an entry that is not there yet. The accesses
// race.
// Fix: count down after writing.
#include <array>
#include <cassert>
#include <latch>
#include <thread>

int main()
{
    std::array<int, 2> table{};
    std::latch loaded(2);
    auto load = [&](int entry) {
#ifdef FIXED
        table[entry] = entry + 1;
        loaded.count_down();
#else
        loaded.count_down();
        table[entry] = entry + 1;
#endif
    };
    std::jthread one(load, 0), two(load, 1);
    loaded.wait();
    assert(table[0] + table[1] == 3);
    return 0;
}
