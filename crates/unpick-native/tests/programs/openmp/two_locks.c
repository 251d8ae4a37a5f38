/* Two locks in two orders, one of which may be taken again by its owner. */
#include <assert.h>
#include <omp.h>

int main(void) {
    omp_lock_t one;
    omp_nest_lock_t other;
    int count = 0;
    omp_init_lock(&one);
    omp_init_nest_lock(&other);
#pragma omp parallel num_threads(2)
    {
#ifdef FIXED
        int is_first = 1;
#else
        int is_first = omp_get_thread_num() == 0;
#endif
        if (is_first)
            omp_set_lock(&one);
        omp_set_nest_lock(&other);
        omp_set_nest_lock(&other);
        if (!is_first)
            omp_set_lock(&one);
        count++;
        omp_unset_nest_lock(&other);
        omp_unset_lock(&one);
        omp_unset_nest_lock(&other);
    }
    omp_destroy_lock(&one);
    omp_destroy_nest_lock(&other);
    assert(count == 2);
    return 0;
}
