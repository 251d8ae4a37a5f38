/* The threads that wait at a barrier run tasks: two of them count one variable at the same time. */
#include <assert.h>

int main(void) {
    int count = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 2; i++)
#pragma omp task shared(count)
    {
        int seen;
#ifdef FIXED
#pragma omp critical
        {
            seen = count;
            count = seen + 1;
        }
#else
#pragma omp atomic read
        seen = count;
#pragma omp atomic write
        count = seen + 1;
#endif
    }
    assert(count == 2);
    return 0;
}
