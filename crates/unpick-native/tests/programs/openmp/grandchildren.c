/* `taskwait` waits for the tasks that a task has made, and not for the tasks of these; `taskgroup` does. */
#include <assert.h>

int main(void) {
    int value = 0, seen = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#ifdef FIXED
#pragma omp taskgroup
#endif
        {
#pragma omp task shared(value)
            {
#pragma omp task shared(value)
                value = 1;
            }
#pragma omp taskwait
        }
        seen = value;
    }
    assert(seen == 1);
    return 0;
}
