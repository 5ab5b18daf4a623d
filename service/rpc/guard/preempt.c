/* preempt.c - the recvmsg, sendmsg and close of a program that serves: C-core calls these in place of libc's.
 *
 * A symbol of the program comes before that of a library, be it shared or an archive. Only programs that serve are linked with this
 * file; a descriptor that the guard does not know goes on to the system as it came.
 */
#include "service/rpc/guard/beneath.h"
#include "service/rpc/guard/connections.h"

#include <unistd.h>

const char ts_preempt_is_linked = 1;

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	struct ts_connection *connection = ts_connections_at(fd);

	/* The queue of errors has no bytes of the client. */
	if (!connection || flags & MSG_ERRQUEUE)
		return ts_beneath_recvmsg(fd, message, flags);
	return ts_connections_receive(connection, message, flags);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	struct ts_connection *connection = ts_connections_at(fd);

	return connection ? ts_connections_send(connection, message, flags) : ts_beneath_sendmsg(fd, message, flags);
}

int close(int fd)
{
	if (ts_connections_at(fd))
		ts_connections_forget(fd);
	return ts_beneath_close(fd);
}
