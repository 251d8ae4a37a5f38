/* garagemanager: a manager hands out jobs and waits until each worker has reported. A worker that comes too late for
   the last hand-out gets no job and reports nothing, and the manager waits for ever. Deadlock.
   Arguments: workers (5), turns a worker gives up after (2). */
#include "ibm.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t reported = PTHREAD_COND_INITIALIZER;
static int jobs, reports, turns_max;

static void *worker(void *argument) {
    (void)argument;
    for (int turn = 0; turn < turns_max; turn++) {
        pthread_mutex_lock(&lock);
        int has_job = jobs > 0;
        if (has_job) {
            jobs--;
            reports++;
            pthread_cond_signal(&reported);
        }
        pthread_mutex_unlock(&lock);
        if (has_job)
            return NULL;
        usleep(200);
    }
    return NULL; /* no job: nobody is told */
}

int main(int argc, char **argv) {
    int worker_count = size_of(argc, argv, 1, 5);
    turns_max = size_of(argc, argv, 2, 2);
    for (int number = 0; number < worker_count; number++)
        start(worker, number);
    for (int number = 0; number < worker_count; number++) {
        pthread_mutex_lock(&lock);
        jobs++;
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    while (reports < worker_count)
        pthread_cond_wait(&reported, &lock);
    pthread_mutex_unlock(&lock);
    join_all();
    return verdict(1, "every worker had a job");
}
