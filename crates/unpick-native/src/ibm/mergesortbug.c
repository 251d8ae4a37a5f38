/* mergesortbug: as mergesort, with a count of free threads that nothing protects: it can go wrong, and then a part is
   left unsorted or more threads run than there are. Data race.
   Arguments: numbers (32), threads of the pool (4). */
#include "ibm.h"

#define NUMBERS_MAX 4096
static int numbers[NUMBERS_MAX], pool;
static volatile int free_count;
struct part { int from, to; };

static void merge(int from, int middle, int to) {
    int *sorted = malloc(sizeof(int) * (size_t)(to - from)), left = from, right = middle;
    for (int place = 0; place < to - from; place++)
        sorted[place] = right >= to || (left < middle && numbers[left] <= numbers[right]) ? numbers[left++]
                                                                                          : numbers[right++];
    for (int place = 0; place < to - from; place++)
        numbers[from + place] = sorted[place];
    free(sorted);
}

static void *sort(void *argument) {
    struct part part = *(struct part *)argument;
    if (part.to - part.from < 2)
        return NULL;
    struct part halves[2] = {{part.from, (part.from + part.to) / 2}, {(part.from + part.to) / 2, part.to}};
    pthread_t helper;
    int helped = 0;
    if (free_count > 0) {
        free_count--;
        helped = 1;
        pthread_create(&helper, NULL, sort, &halves[0]);
    } else {
        sort(&halves[0]);
    }
    sort(&halves[1]);
    if (helped) {
        pthread_join(helper, NULL);
        free_count++;
    }
    merge(part.from, halves[0].to, part.to);
    return NULL;
}

int main(int argc, char **argv) {
    int count = size_of(argc, argv, 1, 32), is_sorted = 1;
    free_count = pool = size_of(argc, argv, 2, 4);
    if (count > NUMBERS_MAX)
        count = NUMBERS_MAX;
    for (int place = 0; place < count; place++)
        numbers[place] = (place * 7919 + 13) % 1009;
    struct part all = {0, count};
    sort(&all);
    for (int place = 0; place + 1 < count; place++)
        is_sorted &= numbers[place] <= numbers[place + 1];
    return verdict(is_sorted && free_count == pool, "the numbers are in order and the pool is full again");
}
