/* Tasks that create tasks, and one whose result is read before it is there. */
#include <assert.h>

static int fibonacci(int n) {
    int one, other;
    if (n < 2)
        return n;
#pragma omp task shared(one)
    one = fibonacci(n - 1);
#pragma omp task shared(other)
    other = fibonacci(n - 2);
#pragma omp taskwait
    return one + other;
}

int main(void) {
    int result = 0, other = 0, seen = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task shared(other)
        other = fibonacci(2);
#ifdef FIXED
#pragma omp taskwait
#endif
        seen = other;
        result = fibonacci(3);
    }
    assert(seen == 1 && result == 2);
    return 0;
}
