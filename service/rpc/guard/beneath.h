/* beneath.h - the system's own recvmsg, sendmsg and close, beneath those of preempt.c.
 *
 * Threads: safe.
 */
#ifndef TSCOPE_SERVICE_RPC_GUARD_BENEATH_H
#define TSCOPE_SERVICE_RPC_GUARD_BENEATH_H

#include <sys/socket.h>

ssize_t ts_beneath_recvmsg(int fd, struct msghdr *message, int flags);
ssize_t ts_beneath_sendmsg(int fd, const struct msghdr *message, int flags);
int ts_beneath_close(int fd);

#endif
