/* A loop adds up in parallel. Without a reduction all threads write one variable. */
#include <assert.h>

int main(void) {
    int values[8], sum = 0;
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 8; i++)
        values[i] = i;
#ifdef FIXED
#pragma omp parallel for num_threads(2) reduction(+ : sum)
#else
#pragma omp parallel for num_threads(2)
#endif
    for (int i = 0; i < 8; i++)
        sum += values[i];
    assert(sum == 28);
    return 0;
}
