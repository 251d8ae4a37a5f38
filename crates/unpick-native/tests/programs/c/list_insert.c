/* A set of user names as a linked list; two threads add the same user.
 *
 * Bug: the look-up and the insertion lock separately.
 * Fails when both threads look before either inserts: the user is there twice.
 * Fix: one critical section for both.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct user { int id; struct user *next; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct user *users;

static bool has(int id)
{
    for (struct user *user = users; user != NULL; user = user->next)
        if (user->id == id)
            return true;
    return false;
}

static void insert(int id)
{
    struct user *user = malloc(sizeof *user);
    if (user == NULL)
        abort();
    user->id = id;
    user->next = users;
    users = user;
}

static void *sign_up(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    bool known = has(7);
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    if (!known)
        insert(7);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    int count = 0;

    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, sign_up, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    while (users != NULL) {
        struct user *next = users->next;
        free(users);
        users = next;
        count++;
    }
    assert(count == 1);
    return 0;
}
