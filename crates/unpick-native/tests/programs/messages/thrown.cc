// An exception that no function catches is reported where it is thrown, also if functions were left since.
#include <mutex>
#include <stdexcept>
#include <thread>

std::mutex mutex;
int count;

static void check(int value) {
    if (value == 2)
        throw std::runtime_error("two is too many");
}

static void work() noexcept {
    std::lock_guard<std::mutex> guard(mutex);
    try {
        throw 1;
    } catch (int) {
    }
    count++;
    check(count);
}

int main() {
    std::thread one(work), other(work);
    one.join();
    other.join();
}
