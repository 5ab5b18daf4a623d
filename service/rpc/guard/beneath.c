#include "service/rpc/guard/beneath.h"

#include <stdint.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
/* A sanitizer stands there, too, and has to see what is received, sent and closed. */
#include <dlfcn.h>

ssize_t ts_beneath_recvmsg(int fd, struct msghdr *message, int flags)
{
	return ((ssize_t(*)(int, struct msghdr *, int))(uintptr_t)dlsym(RTLD_NEXT, "recvmsg"))(fd, message, flags);
}

ssize_t ts_beneath_sendmsg(int fd, const struct msghdr *message, int flags)
{
	return ((ssize_t(*)(int, const struct msghdr *, int))(uintptr_t)dlsym(RTLD_NEXT, "sendmsg"))(fd, message, flags);
}

int ts_beneath_close(int fd)
{
	return ((int (*)(int))(uintptr_t)dlsym(RTLD_NEXT, "close"))(fd);
}
#else
#include <sys/syscall.h>

ssize_t ts_beneath_recvmsg(int fd, struct msghdr *message, int flags)
{
	return syscall(SYS_recvmsg, fd, message, flags);
}

ssize_t ts_beneath_sendmsg(int fd, const struct msghdr *message, int flags)
{
	return syscall(SYS_sendmsg, fd, message, flags);
}

int ts_beneath_close(int fd)
{
	return (int)syscall(SYS_close, fd);
}
#endif
