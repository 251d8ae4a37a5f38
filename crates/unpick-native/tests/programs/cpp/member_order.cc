// An object with a worker thread and the buffer that the worker fills.
//
// Bug: members are destroyed in reverse order: the buffer, declared after the thread, is freed before
// the std::jthread is joined.
// Fails when the object is destroyed before the worker has written: use after free.
// Fix: declare the thread last.
#include <atomic>
#include <memory>
#include <thread>

struct Buffer {
    std::atomic<int> bytes{0};
};

class Recorder {
public:
#ifdef FIXED
    Recorder() : buffer(std::make_unique<Buffer>()), worker(record, buffer.get()) {}
#else
    Recorder() : worker(), buffer(std::make_unique<Buffer>())
    {
        worker = std::jthread(record, buffer.get());
    }
#endif

private:
    static void record(Buffer *buffer)
    {
        buffer->bytes += 1;
        buffer->bytes += 2;
    }

#ifdef FIXED
    std::unique_ptr<Buffer> buffer;
    std::jthread worker;
#else
    std::jthread worker;
    std::unique_ptr<Buffer> buffer;
#endif
};

int main()
{
    Recorder recorder;
    return 0;
}
