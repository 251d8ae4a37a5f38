/* The largest value is looked for: compared outside of the critical section that stores it. */
#include <assert.h>

int main(void) {
    int largest = 0;
#pragma omp parallel for num_threads(2) shared(largest)
    for (int i = 1; i <= 2; i++) {
        int seen;
#pragma omp atomic read
        seen = largest;
        if (seen < i) {
#pragma omp critical(update)
            {
#ifdef FIXED
#pragma omp atomic read
                seen = largest;
                if (seen < i)
#endif
#pragma omp atomic write
                    largest = i;
            }
        }
    }
    assert(largest == 2);
    return 0;
}
