/* A thread goes on behind its share of a loop, and reads what another one has not written yet. */
#include <assert.h>

int main(void) {
    int values[3] = {0}, sums[2] = {0};
#pragma omp parallel num_threads(2)
    {
#ifdef FIXED
#pragma omp for schedule(dynamic, 1)
#else
#pragma omp for schedule(dynamic, 1) nowait
#endif
        for (int i = 0; i < 3; i++)
            values[i] = i + 1;
#pragma omp for schedule(static, 1)
        for (int i = 0; i < 2; i++)
            sums[i] = values[0] + values[1] + values[2];
    }
    assert(sums[0] == 6 && sums[1] == 6);
    return 0;
}
