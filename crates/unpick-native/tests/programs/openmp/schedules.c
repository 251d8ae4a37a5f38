/* Every kind of loop runs every iteration once; the unfixed program counts one that is not there. */
#include <assert.h>
#include <omp.h>

#ifdef FIXED
#define EXPECTED 4
#else
#define EXPECTED 5
#endif

int main(void) {
    int dynamic = 0, guided = 0, chosen = 0, downward = 0, nested = 0;
    unsigned long long wide = 0;
#pragma omp parallel for schedule(dynamic, 2) num_threads(2) reduction(+ : dynamic)
    for (int i = 0; i < 4; i++)
        dynamic++;
#pragma omp parallel for schedule(guided) num_threads(2) reduction(+ : guided)
    for (int i = 0; i < 4; i++)
        guided++;
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(runtime) reduction(+ : chosen)
        for (int i = 0; i < 4; i++)
            chosen++;
#pragma omp for schedule(dynamic) reduction(+ : downward)
        for (int i = 40; i > 0; i -= 10)
            downward++;
#pragma omp for schedule(guided, 2) reduction(+ : wide)
        for (unsigned long long i = ~0ull; i > ~0ull - 4; i--)
            wide++;
    }
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : nested)
    {
        int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2) reduction(+ : nested)
        {
            assert(omp_get_level() == 2 && omp_get_num_threads() == 2 && omp_in_parallel());
            assert(omp_get_ancestor_thread_num(1) == outer && omp_get_team_size(1) == 2);
            nested++;
        }
    }
    assert(omp_get_level() == 0 && omp_get_num_threads() == 1 && !omp_in_parallel());
    assert(dynamic == 4 && guided == 4 && chosen == 4 && downward == 4 && wide == 4);
    assert(nested == EXPECTED);
    return 0;
}
