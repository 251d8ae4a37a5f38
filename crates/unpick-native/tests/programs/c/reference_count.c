/* Two threads share an image with a reference count; whoever is last frees it.
 *
 * Bug: the count is lowered and then read again, in two atomic steps.
 * Fails when both lower it before either reads it: both see zero and free the image (or one reads
 * the count of an image that is gone already).
 * Fix: look at the value that the subtraction returned.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct image { atomic_int references; int pixels[4]; };

static void drop(struct image *image)
{
#ifdef FIXED
    if (atomic_fetch_sub(&image->references, 1) == 1)
        free(image);
#else
    atomic_fetch_sub(&image->references, 1);
    if (atomic_load(&image->references) == 0)
        free(image);
#endif
}

static void *show(void *argument)
{
    struct image *image = argument;
    assert(image->pixels[0] == 1);
    drop(image);
    return NULL;
}

int main(void)
{
    pthread_t thread[2];
    struct image *image = malloc(sizeof *image);

    if (image == NULL)
        abort();
    atomic_init(&image->references, 2);
    image->pixels[0] = 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, show, image);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
