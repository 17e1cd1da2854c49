// Glibc's module leaves this header out.
#include <sys/epoll.h>
