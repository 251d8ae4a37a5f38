/* A library that is loaded while the program runs. At its end it sees to it that nothing is left
 * unwritten. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int unwritten;

void journal_note(void) {
    pthread_mutex_lock(&lock);
    unwritten++;
    pthread_mutex_unlock(&lock);
}

void journal_write(void) {
    pthread_mutex_lock(&lock);
    unwritten--;
    pthread_mutex_unlock(&lock);
}

__attribute__((destructor)) static void close_journal(void) {
    pthread_mutex_lock(&lock);
    assert(unwritten == 0);
    pthread_mutex_unlock(&lock);
}
