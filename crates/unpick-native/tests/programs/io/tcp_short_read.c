/* A client sends a message of two parts over loopback TCP.
 *
 * Bug: the server takes one `recv` for the whole message.
 * Fails when it runs between the two parts.
 * Fix: MSG_WAITALL.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in address;

static void *be_client(void *unused)
{
    int file = socket(AF_INET, SOCK_STREAM, 0);

    (void)unused;
    assert(connect(file, (struct sockaddr *)&address, sizeof address) == 0);
    assert(send(file, "hel", 3, 0) == 3);
    assert(send(file, "lo", 2, 0) == 2);
    close(file);
    return NULL;
}

int main(void)
{
    pthread_t client;
    socklen_t size = sizeof address;
    char message[5];
    int listener = socket(AF_INET, SOCK_STREAM, 0), file;

    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 4) != 0)
        return 2;
    getsockname(listener, (struct sockaddr *)&address, &size);
    pthread_create(&client, NULL, be_client, NULL);
    file = accept(listener, NULL, NULL);
    assert(file >= 0);
#ifdef FIXED
    assert(recv(file, message, sizeof message, MSG_WAITALL) == sizeof message);
#else
    assert(recv(file, message, sizeof message, 0) == sizeof message);
#endif
    assert(memcmp(message, "hello", sizeof message) == 0);
    pthread_join(client, NULL);
    return 0;
}
