// The same as notified_freed.c with the classes of C++.
#include <condition_variable>
#include <mutex>
#include <thread>

int main() {
    std::mutex mutex;
    auto *changed = new std::condition_variable;
    bool is_set = false;
    std::thread setter([&] {
        std::unique_lock<std::mutex> lock(mutex);
        is_set = true;
#ifndef FIXED
        lock.unlock();
#endif
        changed->notify_one();
    });
    {
        std::unique_lock<std::mutex> lock(mutex);
        changed->wait(lock, [&] { return is_set; });
    }
    delete changed;
    setter.join();
}
