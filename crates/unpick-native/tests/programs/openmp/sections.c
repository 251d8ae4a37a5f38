/* Two sections count one variable. */
#include <assert.h>

int main(void) {
    int count = 0, other = 0;
#pragma omp parallel sections num_threads(2)
    {
#pragma omp section
        {
#ifdef FIXED
#pragma omp atomic
#endif
            count++;
        }
#pragma omp section
        {
#ifdef FIXED
#pragma omp atomic
#endif
            count++;
        }
    }
#pragma omp parallel num_threads(2)
#pragma omp sections
    {
#pragma omp section
#pragma omp atomic
        other += 1;
#pragma omp section
#pragma omp atomic
        other += 2;
#pragma omp section
#pragma omp atomic
        other += 4;
    }
    assert(count == 2 && other == 7);
    return 0;
}
