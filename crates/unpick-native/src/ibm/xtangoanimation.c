/* xtangoanimation, reduced from an animation framework to its two locks: the animator holds the scene and asks for
   the canvas, the painter holds the canvas and asks for the scene, far apart in time. Deadlock.
   Arguments: frames (5), work between the locks in turns (2000). */
#include "ibm.h"

static pthread_mutex_t scene = PTHREAD_MUTEX_INITIALIZER, canvas = PTHREAD_MUTEX_INITIALIZER;
static volatile int drawn;
static int frames, turns;

static void work(void) {
    for (volatile int turn = 0; turn < turns; turn++) {
    }
}

static void *animator(void *argument) {
    (void)argument;
    for (int frame = 0; frame < frames; frame++) {
        pthread_mutex_lock(&scene);
        pthread_mutex_lock(&canvas);
        drawn++;
        pthread_mutex_unlock(&canvas);
        pthread_mutex_unlock(&scene);
        work();
    }
    return NULL;
}

static void *painter(void *argument) {
    (void)argument;
    work();
    pthread_mutex_lock(&canvas); /* once, to redraw what was uncovered */
    pthread_mutex_lock(&scene);
    drawn++;
    pthread_mutex_unlock(&scene);
    pthread_mutex_unlock(&canvas);
    return NULL;
}

int main(int argc, char **argv) {
    frames = size_of(argc, argv, 1, 5);
    turns = size_of(argc, argv, 2, 2000);
    start(animator, 0);
    start(painter, 0);
    join_all();
    return verdict(drawn == frames + 1, "every frame was drawn");
}
