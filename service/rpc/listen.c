#include "service/rpc/listen.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/user.h"
#include "service/rpc/listen_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { KNOWN = 64 };

/* A user whose name was asked for; the system is not asked for each connection. */
struct known {
	bool asked;
	uid_t uid;
	char name[TS_USER_TEXT];
};

struct ts_listen {
	struct ts_listen_socket sockets[TS_LISTENERS_MAX];
	size_t n;
	struct ts_guard *guard;
	struct ts_tls *tls; /* NULL: none */
	pthread_t thread;
	bool running;
	int wake;    /* an eventfd that stops the thread */
	int reserve; /* closed to accept and refuse one connection when descriptors have run out; -1 = used up */
	int64_t complained_ns;
	struct known known[KNOWN]; /* by uid modulo KNOWN; of the thread */
};

/* Errors of accept come in floods; one line per second is enough. */
static void complain(struct ts_listen *listen, const char *what, const char *why)
{
	int64_t now = ts_now_mono_ns();
	struct ts_log line;

	if (listen->complained_ns && now - listen->complained_ns < 1000000000)
		return;
	listen->complained_ns = now;
	ts_log_begin(&line, TS_LOG_WARNING, what);
	ts_log_str(&line, "reason", why);
	ts_log_end(&line);
}

/* The groups that the process had when it connected, as the kernel knows them. */
static void add_groups(int fd, gid_t own, struct ts_peer *peer)
{
	gid_t groups[TS_PEER_GROUPS - 1];
	socklen_t len = sizeof groups;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &len))
		len = 0;
	peer->groups[peer->n_groups++] = own;
	for (size_t i = 0; i < len / sizeof groups[0]; i++)
		peer->groups[peer->n_groups++] = groups[i];
}

static void describe_unix(struct ts_listen *listen, int fd, struct ts_peer *peer)
{
	struct ucred who;
	socklen_t len = sizeof who;
	struct known *known;

	*peer = (struct ts_peer){.private_line = true, .name = "unix"};
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len))
		return;
	known = &listen->known[who.uid % KNOWN];
	if (!known->asked || known->uid != who.uid) {
		ts_user_name(who.uid, known->name);
		known->uid = who.uid;
		known->asked = true;
	}
	peer->kind = TS_PEER_USER;
	peer->uid = who.uid;
	add_groups(fd, who.gid, peer);
	peer->key = ts_peer_key(TS_PEER_USER, ts_span_of(&who.uid, sizeof who.uid));
	(void)snprintf(peer->name, sizeof peer->name, "%s", known->name);
}

static struct ts_span host_of(const struct sockaddr_storage *from)
{
	if (from->ss_family == AF_INET)
		return ts_span_of(&((const struct sockaddr_in *)from)->sin_addr, sizeof(struct in_addr));
	return ts_span_of(&((const struct sockaddr_in6 *)from)->sin6_addr, sizeof(struct in6_addr));
}

static void describe_tcp(int fd, const struct sockaddr_storage *from, socklen_t len, struct ts_peer *peer)
{
	char host[64], port[8];
	int one = 1;

	*peer = (struct ts_peer){.kind = TS_PEER_ADDRESS, .key = ts_peer_key(TS_PEER_ADDRESS, host_of(from)), .name = "tcp"};

	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	if (getnameinfo((const struct sockaddr *)from, len, host, sizeof host, port, sizeof port,
			NI_NUMERICHOST | NI_NUMERICSERV) == 0)
		(void)snprintf(peer->name, sizeof peer->name, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}

static int accept_on(int fd, struct sockaddr_storage *from, socklen_t *len)
{
	int got;

	*len = sizeof *from;
	do
		got = accept4(fd, (struct sockaddr *)from, len, SOCK_CLOEXEC | SOCK_NONBLOCK);
	while (got < 0 && (errno == EINTR || errno == ECONNABORTED));
	return got;
}

/* No descriptor is left: the reserved one is closed, so that the client at the head of the queue can be told that it is
 * refused. Without that the listening socket would stay readable and this thread would spin. */
static void refuse_one(struct ts_listen *listen, int fd, const char *why)
{
	struct sockaddr_storage from;
	socklen_t len;
	int got = -1;

	complain(listen, "accept_failed", why);
	if (listen->reserve >= 0) {
		close(listen->reserve);
		got = accept_on(fd, &from, &len);
		if (got >= 0)
			close(got);
	}
	listen->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (got < 0 || listen->reserve < 0)
		(void)poll(NULL, 0, 50);
}

static void accept_one(struct ts_listen *listen, struct ts_listen_socket *socket)
{
	struct sockaddr_storage from;
	struct ts_peer peer;
	socklen_t len;
	int fd = accept_on(socket->fd, &from, &len);

	if (fd < 0) {
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
			refuse_one(listen, socket->fd, strerror(errno));
		else if (errno != EAGAIN && errno != EWOULDBLOCK) {
			complain(listen, "accept_failed", strerror(errno));
			(void)poll(NULL, 0, 50);
		}
		return;
	}
	if (socket->kind == TS_ADDRESS_UNIX)
		describe_unix(listen, fd, &peer);
	else
		describe_tcp(fd, &from, len, &peer);
	ts_guard_take(listen->guard, fd, &peer, socket->tls);
}

static void *accept_loop(void *arg)
{
	struct ts_listen *listen = arg;
	struct pollfd polls[TS_LISTENERS_MAX + 1];

	for (size_t i = 0; i < listen->n; i++)
		polls[i] = (struct pollfd){.fd = listen->sockets[i].fd, .events = POLLIN};
	polls[listen->n] = (struct pollfd){.fd = listen->wake, .events = POLLIN};
	for (;;) {
		if (poll(polls, listen->n + 1, -1) < 0)
			continue;
		if (polls[listen->n].revents)
			return NULL;
		for (size_t i = 0; i < listen->n; i++) {
			if (polls[i].revents)
				accept_one(listen, &listen->sockets[i]);
		}
	}
}

/* A parsed TCP address; port 0 for a socket file, and for a port that the kernel chooses. */
struct place {
	sa_family_t family;
	in_port_t port;
	uint8_t host[16];
	uint32_t zone;
	bool any; /* every address of the machine */
};

static struct place place_of(const struct sockaddr_storage *name)
{
	struct place place = {.family = name->ss_family};
	struct sockaddr_in6 in6;
	struct sockaddr_in in;

	if (name->ss_family == AF_INET) {
		memcpy(&in, name, sizeof in);
		place.port = in.sin_port;
		place.any = in.sin_addr.s_addr == INADDR_ANY;
		memcpy(place.host, &in.sin_addr, sizeof in.sin_addr);
	} else if (name->ss_family == AF_INET6) {
		memcpy(&in6, name, sizeof in6);
		place.port = in6.sin6_port;
		place.any = IN6_IS_ADDR_UNSPECIFIED(&in6.sin6_addr);
		place.zone = in6.sin6_scope_id;
		memcpy(place.host, &in6.sin6_addr, sizeof in6.sin6_addr);
	}
	return place;
}

/* [::] includes every IPv4 address, unless net.ipv6.bindv6only is set. */
static bool any_of_ipv6_takes_ipv4(void)
{
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), only = 1;
	socklen_t len = sizeof only;

	if (fd < 0)
		return false;
	(void)getsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, &len);
	close(fd);
	return !only;
}

/* Returns whether binding one address would keep the other from being bound. */
static bool collide(const struct sockaddr_storage *one, const struct sockaddr_storage *other)
{
	struct place a = place_of(one), b = place_of(other);

	if (!a.port || a.port != b.port)
		return false;
	if (a.family != b.family)
		return (a.family == AF_INET6 ? a.any : b.any) && any_of_ipv6_takes_ipv4();
	return a.any || b.any || (a.zone == b.zone && memcmp(a.host, b.host, sizeof a.host) == 0);
}

static enum ts_status check_count(size_t n, struct ts_error *err)
{
	if (n == 0 || n > TS_LISTENERS_MAX)
		return ts_error_set(err, TS_INVALID, "the server has %zu addresses to listen at, and 1 to %d are possible", n,
				    TS_LISTENERS_MAX);
	return TS_OK;
}

enum ts_status ts_listen_check(const struct ts_listener *listeners, size_t n, struct ts_error *err)
{
	struct sockaddr_storage names[TS_LISTENERS_MAX];

	if (check_count(n, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		if (ts_listen_socket_check(&listeners[i], &names[i], err))
			return err->status;
		for (size_t k = 0; k < i; k++)
			if (collide(&names[i], &names[k]))
				return ts_error_set(err, TS_CONFLICT,
						    "the server cannot listen at both %s and %s, because they use the same port",
						    listeners[k].address, listeners[i].address);
	}
	return TS_OK;
}

static enum ts_status open_all(struct ts_listen *listen, const struct ts_listener *listeners, size_t n, const struct ts_tls_files *tls,
			       struct ts_error *err)
{
	bool any_tls = false;

	for (; listen->n < n; listen->n++) {
		if (ts_listen_socket_open(&listeners[listen->n], &listen->sockets[listen->n], err))
			return err->status;
		any_tls |= listen->sockets[listen->n].tls;
	}
	if (!any_tls)
		return TS_OK;
	if (!tls->cert || !tls->cert[0])
		return ts_error_set(err, TS_INVALID, "an address that begins with tls: needs a certificate: tls-cert and tls-key");
	return ts_tls_create(tls, &listen->tls, err);
}

enum ts_status ts_listen_open(const struct ts_listener *listeners, size_t n, const struct ts_tls_files *tls,
			      struct ts_listen **ret_listen, struct ts_error *err)
{
	struct ts_listen *listen;

	if (check_count(n, err))
		return err->status;
	listen = ts_alloc_array(1, sizeof *listen);
	if (!listen)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory");
	listen->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	listen->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (listen->wake < 0 || listen->reserve < 0) {
		ts_error_errno(err, errno, "descriptors for the listener");
		ts_listen_destroy(listen);
		return err->status;
	}
	if (open_all(listen, listeners, n, tls, err)) {
		ts_listen_destroy(listen);
		return err->status;
	}
	*ret_listen = listen;
	return TS_OK;
}

enum ts_status ts_listen_start(struct ts_listen *listen, const struct ts_guard_options *options, struct ts_error *err)
{
	struct ts_guard_options all = *options;
	int errnum;

	all.tls = listen->tls;
	if (ts_guard_start(&all, &listen->guard, err))
		return err->status;
	errnum = pthread_create(&listen->thread, NULL, accept_loop, listen);
	if (errnum)
		return ts_error_errno(err, errnum, "start the accepting thread");
	listen->running = true;
	return TS_OK;
}

void ts_listen_count(struct ts_listen *listen, struct ts_guard_counts *ret_counts)
{
	ts_guard_count(listen->guard, ret_counts);
}

enum ts_status ts_listen_reload(struct ts_listen *listen, bool *ret_tls, struct ts_error *err)
{
	*ret_tls = listen->tls != NULL;
	return listen->tls ? ts_tls_reload(listen->tls, err) : TS_OK;
}

const char *ts_listen_address(const struct ts_listen *listen, size_t i)
{
	return i < listen->n ? listen->sockets[i].address : NULL;
}

void ts_listen_stop(struct ts_listen *listen)
{
	uint64_t one = 1;

	if (listen->running) {
		(void)!write(listen->wake, &one, sizeof one);
		pthread_join(listen->thread, NULL);
		listen->running = false;
	}
	for (size_t i = 0; i < listen->n; i++)
		ts_listen_socket_close(&listen->sockets[i]);
	if (listen->guard)
		ts_guard_stop(listen->guard);
}

void ts_listen_destroy(struct ts_listen *listen)
{
	if (!listen)
		return;
	ts_listen_stop(listen);
	if (listen->wake >= 0)
		close(listen->wake);
	if (listen->reserve >= 0)
		close(listen->reserve);
	ts_guard_release(listen->guard);
	ts_tls_destroy(listen->tls);
	ts_free(listen);
}
