#ifndef CEPOLL_EPOLL_H
#define CEPOLL_EPOLL_H

// Glibc's module leaves this header out, and the function below, which is GNU's.
#include <sys/epoll.h>
#include <sys/socket.h>

extern int accept4(int socket, struct sockaddr *address, socklen_t *length,
                   int flags);

#endif
