/* Blocks a signal in the manner of System V, which is not modelled. */
#define _GNU_SOURCE
#include <signal.h>

int main(void)
{
    sighold(SIGUSR1);
    raise(SIGUSR1);
    return 0;
}
