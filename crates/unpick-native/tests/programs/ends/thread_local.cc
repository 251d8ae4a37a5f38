// The destructor of a thread-local object of main frees what a detached thread still uses.
#include <mutex>
#include <thread>

static std::mutex mutex;
static int *shared = new int(0);

struct Owner {
    bool is_used = false;
    ~Owner()
    {
        std::lock_guard lock(mutex);
        delete shared;
        shared = nullptr;
    }
};

static thread_local Owner owner;

int main()
{
    owner.is_used = true;
    std::thread([] {
        int *mine;
        {
            std::lock_guard lock(mutex);
            mine = shared;
#ifdef FIXED
            if (mine)
                ++*mine;
#endif
        }
#ifndef FIXED
        if (mine)
            ++*mine;
#endif
    }).detach();
    return 0;
}
