/* linkedlist: threads append to a list. Finding its end and linking the new element there is not protected, so that
   elements are overwritten; the size tells. Stale value.
   Arguments: threads (2), elements each (10). */
#include "ibm.h"

struct node { struct node *volatile next; };
static struct node head;
static int each;

static void append(struct node *node) {
    struct node *last = &head;
    while (last->next)
        last = last->next;
    last->next = node;
}

static void *builder(void *argument) {
    (void)argument;
    for (int element = 0; element < each; element++)
        append(calloc(1, sizeof(struct node)));
    return NULL;
}

int main(int argc, char **argv) {
    int thread_count = size_of(argc, argv, 1, 2), size = 0;
    each = size_of(argc, argv, 2, 10);
    for (int number = 0; number < thread_count; number++)
        start(builder, number);
    join_all();
    for (struct node *node = head.next; node; node = node->next)
        size++;
    return verdict(size == thread_count * each, "every element is in the list");
}
