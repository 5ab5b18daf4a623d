#include "service/rpc/dial.h"

#include "base/clock.h"
#include "base/denied.h"
#include "base/system.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Returns 0, or an errno value. */
static int wait_connected(int fd, int64_t until_ns)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	int errnum = 0;
	socklen_t len = sizeof errnum;

	for (;;) {
		int64_t left = (until_ns - ts_now_mono_ns()) / 1000000;
		int n;

		if (left <= 0)
			return ETIMEDOUT;
		n = poll(&p, 1, left > INT32_MAX ? INT32_MAX : (int)left);
		if (n > 0)
			break;
		if (n < 0 && errno != EINTR)
			return errno;
	}
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &errnum, &len) == 0 ? errnum : errno;
}

static int connect_to(const struct sockaddr *to, socklen_t len, int64_t until_ns, int *ret_fd)
{
	int fd = ts_system_stream_socket(to->sa_family);
	int one = 1, errnum = 0;

	if (fd < 0)
		return errno;
	if (connect(fd, to, len) != 0)
		errnum = errno;
	if (errnum == EINPROGRESS || errnum == EINTR)
		errnum = wait_connected(fd, until_ns);
	if (errnum) {
		close(fd);
		return errnum;
	}
	if (to->sa_family != AF_UNIX)
		(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	*ret_fd = fd;
	return 0;
}

static enum ts_status dial_unix(const char *path, int64_t until_ns, int *ret_fd, struct ts_error *err)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int errnum;

	memcpy(name.sun_path, path, strlen(path) + 1);
	do {
		errnum = connect_to((struct sockaddr *)&name, sizeof name, until_ns, ret_fd);
		/* The backlog of a unix socket can be full for a moment when hundreds of clients connect at once. */
		if (errnum == EAGAIN)
			(void)poll(NULL, 0, 10);
	} while (errnum == EAGAIN && ts_now_mono_ns() < until_ns);
	if (errnum == EACCES) {
		(void)ts_error_set(err, TS_DENIED, "%s", strerror(errnum));
		(void)ts_explain_denied(path, R_OK | W_OK, err);
		return err->status;
	}
	return errnum ? ts_error_set(err, TS_UNAVAILABLE, "%s", strerror(errnum)) : TS_OK;
}

static enum ts_status dial_tcp(const struct ts_address *address, int64_t until_ns, int *ret_fd, struct ts_error *err)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
	struct addrinfo *found;
	int errnum = EHOSTUNREACH;
	int failed = getaddrinfo(address->host, address->port, &hints, &found);

	if (failed)
		return ts_error_set(err, TS_UNAVAILABLE, "%s", gai_strerror(failed));
	for (struct addrinfo *at = found; at && errnum; at = at->ai_next)
		errnum = connect_to(at->ai_addr, at->ai_addrlen, until_ns, ret_fd);
	freeaddrinfo(found);
	return errnum ? ts_error_set(err, TS_UNAVAILABLE, "%s", strerror(errnum)) : TS_OK;
}

enum ts_status ts_dial(const struct ts_address *address, int64_t until_ns, int *ret_fd, struct ts_error *err)
{
	if (address->kind == TS_ADDRESS_UNIX)
		return dial_unix(address->path, until_ns, ret_fd, err);
	return dial_tcp(address, until_ns, ret_fd, err);
}
