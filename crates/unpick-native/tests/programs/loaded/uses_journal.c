/* Loads a library, given as the argument, whose destructor finds that the program ended too early:
 * nobody waits for the worker, who may have noted something and not written it. Fixed: it is waited
 * for. */
#include <dlfcn.h>
#include <pthread.h>

static void (*note)(void);
static void (*write_all)(void);

static void *work(void *unused) {
    note();
    write_all();
    return unused;
}

int main(int argc, char **argv) {
    void *library = dlopen(argv[argc - 1], RTLD_NOW);
    if (!library)
        return 2;
    note = (void (*)(void))dlsym(library, "journal_note");
    write_all = (void (*)(void))dlsym(library, "journal_write");
    pthread_t worker;
    pthread_create(&worker, NULL, work, NULL);
    note();
    write_all();
#ifdef FIXED
    pthread_join(worker, NULL);
#else
    pthread_detach(worker);
#endif
    return 0;
}
