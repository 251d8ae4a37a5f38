/* One thread makes a value that all use: those that do not wait for it use it too early. */
#include <assert.h>

int main(void) {
    int shared = 0, own = 0, count = 0;
#pragma omp parallel num_threads(3) firstprivate(own)
    {
#pragma omp single copyprivate(own)
        own = 7;
#ifdef FIXED
#pragma omp single
#else
#pragma omp single nowait
#endif
        shared = own;
        if (shared == 7 && own == 7)
#pragma omp atomic
            count++;
    }
    assert(count == 3);
    return 0;
}
