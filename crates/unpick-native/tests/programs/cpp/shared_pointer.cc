// Settings are replaced as a whole through a shared pointer; a reader takes a copy of it.
//
// Bug: the count inside is safe, the pointer object itself is not: it is assigned and copied
// without a lock.
// Fails when the writer drops the last count of the old settings between the reader's look at the
// pointer and its increment: use after free. The accesses race in every schedule.
// Fix: a lock around copy and assignment.
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

struct Settings {
    int volume;
};

class Holder {
public:
    std::shared_ptr<const Settings> get()
    {
#ifdef FIXED
        std::lock_guard guard(lock);
#endif
        return current;
    }

    void set(int volume)
    {
        auto made = std::make_shared<const Settings>(Settings{volume});
#ifdef FIXED
        std::lock_guard guard(lock);
#endif
        current = made;
    }

private:
    std::mutex lock;
    std::shared_ptr<const Settings> current = std::make_shared<const Settings>(Settings{1});
};

int main()
{
    Holder holder;
    std::thread writer([&] { holder.set(2); });
    std::thread reader([&] { assert(holder.get()->volume > 0); });
    writer.join();
    reader.join();
    return 0;
}
