#include "service/rpc/listen_socket.h"

#include "base/file.h"
#include "base/span.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* The kernel limits it to net.core.somaxconn. */
enum { BACKLOG = 1024 };

static enum ts_status refuse_locked(int fd, const char *path, struct ts_error *err)
{
	char pid[16];
	ssize_t n = pread(fd, pid, sizeof pid - 1, 0);

	pid[n > 0 ? n : 0] = 0;
	return ts_error_set(err, TS_CONFLICT, "another tscoped (pid %s) already serves %s", pid[0] ? pid : "unknown", path);
}

static enum ts_status take_lock(const char *socket_path, int *ret_fd, struct ts_error *err)
{
	char path[300], pid[16];
	int fd, n;

	(void)snprintf(path, sizeof path, "%s.lock", socket_path);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return ts_error_errno(err, errno, "lock file %s", path);
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno == EWOULDBLOCK)
			refuse_locked(fd, socket_path, err);
		else
			ts_error_errno(err, errno, "lock %s", path);
		close(fd);
		return err->status;
	}
	n = snprintf(pid, sizeof pid, "%d", (int)getpid());
	if (ftruncate(fd, 0) != 0 || pwrite(fd, pid, (size_t)n, 0) != n) {
		ts_error_errno(err, errno, "write %s", path);
		close(fd);
		return err->status;
	}
	*ret_fd = fd;
	return TS_OK;
}

/* Removes the socket file of a server that was killed; the lock shows that no server uses it. */
static enum ts_status remove_stale(const char *path, struct ts_error *err)
{
	struct stat st;

	if (lstat(path, &st) != 0)
		return errno == ENOENT ? TS_OK : ts_error_errno(err, errno, "%s", path);
	if (!S_ISSOCK(st.st_mode))
		return ts_error_set(err, TS_CONFLICT, "%s exists and is not a socket", path);
	if (unlink(path) != 0)
		return ts_error_errno(err, errno, "remove the stale socket %s", path);
	return TS_OK;
}

static enum ts_status bind_unix(const char *path, mode_t mode, int *ret_fd, struct ts_error *err)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int fd;

	if (remove_stale(path, err))
		return err->status;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return ts_error_errno(err, errno, "socket");
	memcpy(name.sun_path, path, strlen(path) + 1);
	/* Nobody can connect between bind and chmod, because the socket does not listen yet. */
	if (bind(fd, (struct sockaddr *)&name, sizeof name) != 0 || chmod(path, mode) != 0 || listen(fd, BACKLOG) != 0) {
		ts_error_errno(err, errno, "listen at unix:%s", path);
		close(fd);
		return err->status;
	}
	*ret_fd = fd;
	return TS_OK;
}

static enum ts_status open_unix(const struct ts_address *address, mode_t mode, struct ts_listen_socket *out,
				struct ts_error *err)
{
	char dir[256];
	char *slash;

	memcpy(dir, address->path, sizeof dir);
	slash = strrchr(dir, '/');
	if (slash && slash != dir) {
		*slash = 0;
		if (ts_make_dirs(dir, 0755, err))
			return ts_error_prefix(err, "directory of the socket");
	}
	if (take_lock(address->path, &out->lock_fd, err))
		return err->status;
	if (bind_unix(address->path, mode ? mode : 0660, &out->fd, err)) {
		close(out->lock_fd);
		return err->status;
	}
	memcpy(out->path, address->path, sizeof out->path);
	(void)snprintf(out->address, sizeof out->address, "unix:%s", address->path);
	return TS_OK;
}

static bool is_loopback(const struct sockaddr *name)
{
	if (name->sa_family == AF_INET) {
		struct sockaddr_in in;

		memcpy(&in, name, sizeof in);
		return ntohl(in.sin_addr.s_addr) >> 24 == 127;
	}
	if (name->sa_family == AF_INET6) {
		struct sockaddr_in6 in6;

		memcpy(&in6, name, sizeof in6);
		return IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr);
	}
	return false;
}

static enum ts_status name_tcp(int fd, struct ts_listen_socket *out, struct ts_error *err)
{
	struct sockaddr_storage name;
	socklen_t len = sizeof name;
	char host[64], port[8];

	if (getsockname(fd, (struct sockaddr *)&name, &len) != 0)
		return ts_error_errno(err, errno, "getsockname");
	if (getnameinfo((struct sockaddr *)&name, len, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV))
		return ts_error_set(err, TS_INTERNAL, "a bound socket has no printable name");
	(void)snprintf(out->address, sizeof out->address, strchr(host, ':') ? "%s[%s]:%s" : "%s%s:%s", out->tls ? "tls:" : "", host,
		       port);
	return TS_OK;
}

static enum ts_status bind_tcp(const struct addrinfo *at, const char *text, struct ts_listen_socket *out, struct ts_error *err)
{
	int one = 1;
	int fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return ts_error_errno(err, errno, "socket");
	/* This allows binding while connections are in TIME_WAIT, but not while another server listens: that would need
	 * SO_REUSEPORT. */
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	if (bind(fd, at->ai_addr, at->ai_addrlen) != 0 || listen(fd, BACKLOG) != 0) {
		if (errno == EADDRINUSE)
			ts_error_set(err, TS_CONFLICT, "another program listens at %s", text);
		else
			ts_error_errno(err, errno, "listen at %s", text);
		close(fd);
		return err->status;
	}
	if (name_tcp(fd, out, err)) {
		close(fd);
		return err->status;
	}
	out->fd = fd;
	return TS_OK;
}

/* Resolves the first address of the host, if a server may listen there; the caller calls freeaddrinfo. */
static enum ts_status resolve_tcp(const struct ts_address *address, const struct ts_listener *options, bool tls,
				  struct addrinfo **ret_found, struct ts_error *err)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
	struct addrinfo *found;
	int failed = getaddrinfo(address->host, address->port, &hints, &found);

	if (failed)
		return ts_error_set(err, TS_INVALID, "cannot listen at %s: %s", options->address, gai_strerror(failed));
	if (!tls && !options->allow_remote && !is_loopback(found->ai_addr)) {
		freeaddrinfo(found);
		return ts_error_set(err, TS_DENIED,
				    "other machines can reach %s, and everybody between can read and change what is sent there. Use "
				    "tls:%s:%s, or the unix socket and ssh://HOST, or set allow-remote",
				    options->address, address->host, address->port);
	}
	*ret_found = found;
	return TS_OK;
}

static enum ts_status open_tcp(const struct ts_address *address, const struct ts_listener *options,
			       struct ts_listen_socket *out, struct ts_error *err)
{
	struct addrinfo *found;
	enum ts_status status;

	if (resolve_tcp(address, options, out->tls, &found, err))
		return err->status;
	status = bind_tcp(found, options->address, out, err);
	freeaddrinfo(found);
	return status;
}

enum ts_status ts_listen_parse(const char *text, struct ts_address *ret_address, bool *ret_tls, struct ts_error *err)
{
	struct ts_span rest = ts_span_str(text);
	bool tls = ts_span_skip(&rest, "tls:"), tcp = !tls && ts_span_skip(&rest, "tcp:");
	struct ts_address address;

	if (ts_address_parse((const char *)rest.data, &address, err))
		return err->status;
	if ((tls || tcp) && address.kind != TS_ADDRESS_TCP)
		return ts_error_set(err, TS_INVALID, "%s must have the form %s:HOST:PORT", text, tls ? "tls" : "tcp");
	if (address.kind == TS_ADDRESS_TCP && !tls && !tcp)
		return ts_error_set(err, TS_INVALID,
				    "%s does not say how: use tls:%s for TLS, or tcp:%s for plain TCP, which everybody between can "
				    "read", text, text, text);
	if (address.kind == TS_ADDRESS_SSH)
		return ts_error_set(err, TS_INVALID, "%s: a server cannot listen by ssh", text);
	*ret_address = address;
	*ret_tls = tls;
	return TS_OK;
}

enum ts_status ts_listen_socket_check(const struct ts_listener *options, struct sockaddr_storage *ret_name,
				      struct ts_error *err)
{
	struct sockaddr_storage name = {.ss_family = AF_UNSPEC};
	struct ts_address address;
	struct addrinfo *found;
	bool tls;

	if (ts_listen_parse(options->address, &address, &tls, err))
		return err->status;
	if (address.kind == TS_ADDRESS_TCP) {
		if (resolve_tcp(&address, options, tls, &found, err))
			return err->status;
		memcpy(&name, found->ai_addr, found->ai_addrlen);
		freeaddrinfo(found);
	}
	*ret_name = name;
	return TS_OK;
}

enum ts_status ts_listen_socket_open(const struct ts_listener *options, struct ts_listen_socket *ret_socket,
				     struct ts_error *err)
{
	struct ts_listen_socket out = {.fd = -1, .lock_fd = -1};
	struct ts_address address;
	enum ts_status status;

	if (ts_listen_parse(options->address, &address, &out.tls, err))
		return err->status;
	out.kind = address.kind;
	if (address.kind == TS_ADDRESS_UNIX)
		status = open_unix(&address, options->socket_mode, &out, err);
	else
		status = open_tcp(&address, options, &out, err);
	if (status)
		return status;
	*ret_socket = out;
	return TS_OK;
}

void ts_listen_socket_close(struct ts_listen_socket *socket)
{
	if (socket->fd < 0)
		return;
	/* The path is removed first: a client that connects from now on gets an error, and does not wait in a backlog. */
	if (socket->kind == TS_ADDRESS_UNIX)
		(void)unlink(socket->path);
	close(socket->fd);
	if (socket->lock_fd >= 0)
		close(socket->lock_fd);
	socket->fd = -1;
}
