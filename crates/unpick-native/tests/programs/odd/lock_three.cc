// Two threads take three locks at once, by trying: in lock-step neither ever gets all of them, but no fair
// schedule keeps them in step.
#include <mutex>
#include <thread>

static std::mutex one, two, three;
static int total;

int main()
{
    std::thread forwards([] {
        std::scoped_lock held(one, two, three);
        total++;
    });
    std::thread backwards([] {
        std::scoped_lock held(three, two, one);
        total++;
    });
    forwards.join();
    backwards.join();
    return 0;
}
