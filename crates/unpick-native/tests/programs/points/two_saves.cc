// Two functions of one name, in different classes.
#include <atomic>
#include <thread>

struct Account {
    std::atomic<int> value{0};
    __attribute__((noinline)) void save(int amount) { value += amount; }
};

template <typename T> struct Journal {
    std::atomic<T> last{0};
    __attribute__((noinline)) void save(T entry) { last = entry; }
};

int main() {
    Account account;
    Journal<int> journal;
    std::thread other([&] { account.save(1); journal.save(1); });
    account.save(2);
    journal.save(2);
    other.join();
    return account.value == 3 ? 0 : 1;
}
