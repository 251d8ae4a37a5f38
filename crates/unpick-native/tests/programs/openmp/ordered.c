/* Refused: iterations that wait for each other. */
#include <stdio.h>

int main(void) {
#pragma omp parallel for ordered num_threads(2)
    for (int i = 0; i < 4; i++) {
#pragma omp ordered
        printf("%d\n", i);
    }
    return 0;
}
