#include "service/rpc/guard/guard.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "service/rpc/guard/connections.h"
#include "service/rpc/guard/guard_state.h"
#include "service/rpc/guard/named.h"

#include <errno.h>
#include <malloc.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

enum { EVENTS = 64, QUIET_SECONDS = 60 };

/* ---- counts and the log ---- */

static const struct ts_rate lines = {10, 1};

void ts_guard_note(struct ts_guard *guard, const struct ts_peer *peer, enum ts_cutoff cause, const char *certificate, int64_t now_ns)
{
	unsigned unlogged;
	struct ts_log line;

	atomic_fetch_add(&guard->counts[cause], 1);
	pthread_mutex_lock(&guard->log_mutex);
	if (!ts_allowance_spend(&guard->lines[cause], &lines, 1, now_ns)) {
		guard->unlogged[cause]++;
		pthread_mutex_unlock(&guard->log_mutex);
		return;
	}
	unlogged = guard->unlogged[cause];
	guard->unlogged[cause] = 0;
	pthread_mutex_unlock(&guard->log_mutex);
	ts_log_begin(&line, TS_LOG_WARNING, ts_cutoff_is_refusal(cause) ? "connection_refused" : "connection_cut");
	ts_log_str(&line, "peer", peer->name);
	ts_log_str(&line, "cause", ts_cutoff_word(cause));
	ts_log_str(&line, "reason", ts_cutoff_text(cause));
	if (certificate)
		ts_log_str(&line, "certificate", certificate);
	ts_log_i64(&line, "connections", atomic_load(&guard->connections));
	if (unlogged)
		ts_log_i64(&line, "unlogged", unlogged);
	ts_log_end(&line);
}

void ts_guard_count(struct ts_guard *guard, struct ts_guard_counts *ret_counts)
{
	ret_counts->connections = atomic_load(&guard->connections);
	for (int i = 0; i < TS_CUTOFFS; i++)
		ret_counts->ended[i] = atomic_load(&guard->counts[i]);
	ret_counts->resets = atomic_load(&guard->resets);
}

/* One line for all that were refused or cut, when the server ends. */
static void log_counts(struct ts_guard *guard)
{
	struct ts_guard_counts counts;
	struct ts_log line;
	uint64_t all = 0;

	ts_guard_count(guard, &counts);
	for (int i = 0; i < TS_CUTOFFS; i++)
		all += counts.ended[i];
	if (!all)
		return;
	ts_log_begin(&line, TS_LOG_WARNING, "guard");
	for (int i = 0; i < TS_CUTOFFS; i++) {
		if (counts.ended[i])
			ts_log_i64(&line, ts_cutoff_word((enum ts_cutoff)i), (int64_t)counts.ended[i]);
	}
	ts_log_end(&line);
}

/* ---- making room ---- */

/* The connection without calls that was idle longest, of one peer. */
struct idlest {
	unsigned place;
	int64_t before_ns; /* idle since before then */
	int fd;
};

static bool is_idle(const struct ts_connection *connection, const struct idlest *idlest)
{
	return !connection->ended && connection->place == idlest->place && !connection->conduct.streams.n &&
	       connection->conduct.idle_since_ns < idlest->before_ns;
}

static void find_idlest(void *ctx, struct ts_connection *connection)
{
	struct idlest *idlest = ctx;

	if (!is_idle(connection, idlest))
		return;
	idlest->before_ns = connection->conduct.idle_since_ns;
	idlest->fd = connection->fd;
}

static void cut_idlest(void *ctx, struct ts_connection *connection)
{
	struct idlest *idlest = ctx;

	if (connection->fd == idlest->fd && is_idle(connection, idlest)) {
		ts_connections_cut(connection, TS_CUTOFF_MADE_ROOM, ts_now_mono_ns());
		idlest->fd = -1;
	}
}

/* Ends a connection of the peer that was idle for so many seconds; false: it has none. */
static bool make_room(struct ts_guard *guard, unsigned place, int seconds)
{
	struct idlest idlest = {.place = place, .before_ns = ts_now_mono_ns() - seconds * SECOND, .fd = -1};

	ts_connections_each(guard, find_idlest, &idlest);
	if (idlest.fd < 0)
		return false;
	idlest.before_ns++;
	ts_connections_each(guard, cut_idlest, &idlest);
	return idlest.fd < 0;
}

/* A peer that has as many connections as it may is served from its own: a client that forgot to close some gets on. */
static enum ts_cutoff count_peer(struct ts_guard *guard, uint64_t key, unsigned *ret_place)
{
	enum { IDLE_SECONDS = 10 };
	enum ts_cutoff cause = ts_peers_connect(&guard->peers, key, ts_now_mono_ns(), ret_place);

	if (cause != TS_CUTOFF_PEER_CONNECTIONS || !make_room(guard, *ret_place, IDLE_SECONDS))
		return cause;
	return ts_peers_connect(&guard->peers, key, ts_now_mono_ns(), ret_place);
}

/* When the server is full, the peer that has most connections gives one to a peer that has fewer. */
static bool has_room(struct ts_guard *guard, unsigned place)
{
	enum { IDLE_SECONDS = 1 };
	unsigned most;

	if (atomic_load(&guard->connections) < guard->options.max_connections)
		return true;
	most = ts_peers_largest(&guard->peers);
	return ts_peers_connections(&guard->peers, most) > ts_peers_connections(&guard->peers, place) &&
	       make_room(guard, most, IDLE_SECONDS);
}

/* ---- those that arrive ---- */

static void refuse(struct ts_guard *guard, int fd, const struct ts_peer *peer, bool tls, enum ts_cutoff cutoff)
{
	ts_guard_note(guard, peer, cutoff, NULL, ts_now_mono_ns());
	if (!tls)
		ts_connections_refuse(fd, cutoff);
	(void)close(fd);
}

/* The peer's place is taken. */
static enum ts_cutoff admit(struct ts_guard *guard, int fd, const struct ts_peer *peer, unsigned place, bool tls)
{
	SSL *ssl;

	if (!has_room(guard, place))
		return TS_CUTOFF_CONNECTIONS;
	if (fd >= TS_DESCRIPTORS_MAX)
		return TS_CUTOFF_DESCRIPTOR;
	ssl = tls ? ts_tls_session(guard->options.tls, fd) : NULL;
	if (tls && !ssl)
		return TS_CUTOFF_MEMORY;
	if (ts_connections_add(guard, fd, peer, place, ssl))
		return TS_CUTOFF_NONE;
	SSL_free(ssl);
	return TS_CUTOFF_MEMORY;
}

void ts_guard_take(struct ts_guard *guard, int fd, const struct ts_peer *peer, bool tls)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.fd = fd};
	enum ts_cutoff cutoff;
	unsigned place;

	cutoff = count_peer(guard, peer->key, &place);
	if (cutoff) {
		refuse(guard, fd, peer, tls, cutoff);
		return;
	}
	cutoff = admit(guard, fd, peer, place, tls);
	if (cutoff) {
		ts_peers_leave(&guard->peers, place);
		refuse(guard, fd, peer, tls, cutoff);
		return;
	}
	if (epoll_ctl(guard->poll, EPOLL_CTL_ADD, fd, &event) != 0) {
		ts_guard_note(guard, peer, TS_CUTOFF_DESCRIPTOR, NULL, ts_now_mono_ns());
		(void)close(fd);
	}
}

enum arrival { WAITS, ARRIVED, GONE };

/* Looks at the first n bytes, and leaves them to C-core. */
static enum arrival look(struct ts_connection *connection, const char *want, size_t n)
{
	char bytes[TS_PREFACE_BYTES];
	ssize_t got = recv(connection->fd, bytes, n, MSG_PEEK | MSG_DONTWAIT);

	if (got < 0)
		return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? WAITS : GONE;
	if (got == 0)
		return GONE;
	if (want && memcmp(bytes, want, (size_t)got) != 0) {
		ts_connections_cut(connection, TS_CUTOFF_PREFACE, ts_now_mono_ns());
		return GONE;
	}
	return (size_t)got == n ? ARRIVED : WAITS;
}

/* Cuts a connection whose client shows a certificate that is not let in, and says whose it is. */
static bool refuse_certificate(struct ts_connection *connection)
{
	char name[TS_PEER_TEXT], text[TS_PEER_TEXT + 96];
	const char *why = ts_identity_refused(connection->ssl, name);

	if (!why)
		return false;
	(void)snprintf(text, sizeof text, "%s: %s", name, why);
	connection->refused = text;
	ts_connections_cut(connection, TS_CUTOFF_CERTIFICATE, ts_now_mono_ns());
	connection->refused = NULL;
	return true;
}

/* After the handshake: the protocol, and who it is. */
static enum arrival recognize(struct ts_connection *connection)
{
	struct ts_guard *guard = connection->guard;
	int64_t now_ns = ts_now_mono_ns();
	const unsigned char *protocol;
	enum ts_cutoff cutoff = TS_CUTOFF_NONE;
	unsigned n;

	connection->shaken = true;
	if (refuse_certificate(connection))
		return GONE;
	connection->peer.private_line = true;
	SSL_get0_alpn_selected(connection->ssl, &protocol, &n);
	if (n != 2 || memcmp(protocol, "h2", 2) != 0)
		cutoff = TS_CUTOFF_ALPN;
	else if (ts_identity_of(connection->ssl, &connection->peer))
		cutoff = ts_peers_move(&guard->peers, connection->peer.key, now_ns, &connection->place);
	if (cutoff)
		ts_connections_cut(connection, cutoff, now_ns);
	return cutoff ? GONE : WAITS;
}

static enum arrival shake(struct ts_connection *connection)
{
	int n, why, reason;

	ERR_clear_error();
	n = SSL_accept(connection->ssl);
	why = n == 1 ? SSL_ERROR_NONE : SSL_get_error(connection->ssl, n);
	reason = ERR_GET_REASON(ERR_peek_error());
	ERR_clear_error();
	if (n == 1)
		return recognize(connection);
	if (why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE)
		return WAITS;
	/* Who hangs up needs no line. */
	if (why == SSL_ERROR_SSL && !refuse_certificate(connection) && reason != SSL_R_UNEXPECTED_EOF_WHILE_READING)
		ts_connections_cut(connection, TS_CUTOFF_HANDSHAKE, ts_now_mono_ns());
	return GONE;
}

/* C-core waits for bytes to come, so it gets a connection when some have; what was deciphered here would never come. So for TLS this is
 * the first record after the handshake, and the preface is judged as C-core receives it. */
static enum arrival step(struct ts_connection *connection)
{
	enum arrival arrival;

	if (!connection->ssl)
		return look(connection, TS_PREFACE, TS_PREFACE_BYTES);
	if (!connection->shaken && (shake(connection) == GONE || connection->ended))
		return GONE;
	if (!connection->shaken)
		return WAITS;
	arrival = look(connection, NULL, 1);
	if (arrival == ARRIVED)
		SSL_set_read_ahead(connection->ssl, 1);
	return arrival;
}

/* Only this thread closes what arrives, so a connection that it finds is valid. */
static void proceed(struct ts_guard *guard, int fd, bool hung_up)
{
	struct ts_connection *connection = ts_connections_at(fd);
	enum arrival arrival;

	if (!connection || !connection->arriving)
		return;
	pthread_mutex_lock(&connection->mutex);
	arrival = connection->ended ? GONE : step(connection);
	if (arrival == WAITS && hung_up)
		arrival = GONE;
	if (arrival == ARRIVED)
		connection->arriving = false;
	pthread_mutex_unlock(&connection->mutex);
	if (arrival == GONE)
		(void)close(fd);
	if (arrival != ARRIVED)
		return;
	(void)epoll_ctl(guard->poll, EPOLL_CTL_DEL, fd, NULL);
	guard->options.hand_over(guard->options.ctx, fd);
}

/* ---- once a second ---- */

struct sweep {
	int64_t at_ns;
	unsigned moved, cut; /* as they were the last time */
	unsigned quiet_s;    /* seconds since bytes moved; from QUIET_SECONDS on nothing is to be done */
	unsigned trim_in_s;  /* 0 = not after a cut */
	unsigned files_in_s; /* until the files of TLS are looked at */
	unsigned reloads;    /* of them, after which connections were judged */
};

static void look_for_overdue(void *ctx, struct ts_connection *connection)
{
	const struct sweep *sweep = ctx;
	enum ts_cutoff cause = connection->ended ? TS_CUTOFF_NONE : ts_conduct_overdue(&connection->conduct, sweep->at_ns);

	if (cause)
		ts_connections_cut(connection, cause, sweep->at_ns);
}

/* C-core frees what a cut connection took within a second or two, and glibc keeps it: of 1.08 GB after a flood of resets, this leaves
 * 13 MB. In a quiet minute the same is done for what ordinary calls left. */
static void give_back(struct ts_guard *guard, struct sweep *sweep)
{
	enum { SECONDS = 8, ONCE_BEFORE = 6 };
	unsigned moved = atomic_load(&guard->moved), cut = atomic_load(&guard->cut);

	if (cut != sweep->cut && !sweep->trim_in_s)
		sweep->trim_in_s = SECONDS;
	else if (sweep->trim_in_s && (--sweep->trim_in_s == ONCE_BEFORE || sweep->trim_in_s == 0))
		(void)malloc_trim(0);
	if (moved != sweep->moved)
		sweep->quiet_s = 0;
	else if (sweep->quiet_s < QUIET_SECONDS && ++sweep->quiet_s == QUIET_SECONDS)
		(void)malloc_trim(0);
	sweep->cut = cut;
	sweep->moved = moved;
}

static void renew(struct ts_guard *guard, struct sweep *sweep)
{
	enum { SECONDS = 5 };
	struct ts_error err;
	struct ts_log line;

	if (!guard->options.tls || sweep->files_in_s-- > 0)
		return;
	sweep->files_in_s = SECONDS;
	if (!ts_tls_changed(guard->options.tls))
		return;
	if (ts_tls_reload(guard->options.tls, &err)) {
		ts_log_begin(&line, TS_LOG_ERROR, "tls_reload");
		ts_log_str(&line, "reason", err.text);
		ts_log_str(&line, "note", "the certificate of before stays in use");
	} else {
		ts_log_begin(&line, TS_LOG_INFO, "tls_reload");
		ts_log_str(&line, "note", "new connections are shown the certificate that the files have now");
	}
	ts_log_end(&line);
}

/* Its calls end first, so that their clients are told why. */
static void judge_again(void *ctx, struct ts_connection *connection)
{
	const struct sweep *sweep = ctx;

	if (!connection->ended && connection->shaken && !atomic_load(&connection->revoked_ns) &&
	    ts_tls_revoked(connection->guard->options.tls, connection->ssl))
		atomic_store(&connection->revoked_ns, sweep->at_ns);
}

static void cut_revoked(void *ctx, struct ts_connection *connection)
{
	enum { SECONDS = 3 };
	const struct sweep *sweep = ctx;
	int64_t since_ns = atomic_load(&connection->revoked_ns);
	char text[TS_PEER_TEXT + 32];

	if (!since_ns || connection->ended || sweep->at_ns - since_ns < SECONDS * SECOND)
		return;
	(void)snprintf(text, sizeof text, "%s: certificate revoked", connection->peer.name);
	connection->refused = text;
	ts_connections_cut(connection, TS_CUTOFF_CERTIFICATE, sweep->at_ns);
	connection->refused = NULL;
}

/* A certificate that was revoked while its owner is connected ends the connection. */
static void look_for_revoked(struct ts_guard *guard, struct sweep *sweep)
{
	unsigned reloads;

	if (!guard->options.tls)
		return;
	reloads = ts_tls_reloads(guard->options.tls);
	if (reloads != sweep->reloads)
		ts_connections_each(guard, judge_again, sweep);
	sweep->reloads = reloads;
	ts_connections_each(guard, cut_revoked, sweep);
}

static void *loop(void *arg)
{
	struct ts_guard *guard = arg;
	struct epoll_event events[EVENTS];
	struct sweep sweep = {.at_ns = ts_now_mono_ns()};

	for (;;) {
		int n = epoll_wait(guard->poll, events, EVENTS, 1000);

		for (int i = 0; i < n; i++) {
			if (events[i].data.fd == guard->wake)
				return NULL;
			proceed(guard, events[i].data.fd, events[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR));
		}
		if (ts_now_mono_ns() - sweep.at_ns < SECOND)
			continue;
		sweep.at_ns = ts_now_mono_ns();
		ts_connections_each(guard, look_for_overdue, &sweep);
		give_back(guard, &sweep);
		renew(guard, &sweep);
		look_for_revoked(guard, &sweep);
	}
}

/* ---- start and stop ---- */

static enum ts_status open_poll(struct ts_guard *guard, struct ts_error *err)
{
	struct epoll_event event = {.events = EPOLLIN};

	guard->poll = epoll_create1(EPOLL_CLOEXEC);
	guard->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	event.data.fd = guard->wake;
	if (guard->poll < 0 || guard->wake < 0 || epoll_ctl(guard->poll, EPOLL_CTL_ADD, guard->wake, &event) != 0)
		return ts_error_errno(err, errno, "descriptors for the guard");
	return TS_OK;
}

enum ts_status ts_guard_start(const struct ts_guard_options *options, struct ts_guard **ret_guard, struct ts_error *err)
{
	struct ts_guard *guard;
	int errnum;

	if (!ts_connections_preempted())
		return ts_error_set(err, TS_INTERNAL, "this program is not linked with preempt.c");
	guard = ts_alloc_array(1, sizeof *guard);
	if (!guard)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for the guard");
	guard->options = *options;
	guard->poll = guard->wake = -1;
	atomic_init(&guard->references, 1);
	ts_peers_init(&guard->peers, options->peer_connections);
	pthread_mutex_init(&guard->log_mutex, NULL);
	if (open_poll(guard, err)) {
		ts_guard_release(guard);
		return err->status;
	}
	errnum = pthread_create(&guard->thread, NULL, loop, guard);
	if (errnum) {
		ts_guard_release(guard);
		return ts_error_errno(err, errnum, "start the guard's thread");
	}
	guard->running = true;
	*ret_guard = guard;
	return TS_OK;
}

void ts_guard_peer(int fd, struct ts_peer *ret_peer)
{
	if (!ts_connections_peer(fd, ret_peer))
		*ret_peer = (struct ts_peer){.name = "unknown"};
	else if (ts_connections_revoked(fd))
		ret_peer->kind = TS_PEER_UNKNOWN;
}

bool ts_guard_is_revoked(int fd)
{
	return ts_connections_revoked(fd);
}

struct some {
	int fds[EVENTS];
	unsigned n;
};

static void find_arriving(void *ctx, struct ts_connection *connection)
{
	struct some *some = ctx;

	if (connection->arriving && some->n < EVENTS)
		some->fds[some->n++] = connection->fd;
}

static void close_arrivals(struct ts_guard *guard)
{
	struct some some;

	do {
		some.n = 0;
		ts_connections_each(guard, find_arriving, &some);
		for (unsigned i = 0; i < some.n; i++)
			(void)close(some.fds[i]);
	} while (some.n);
}

void ts_guard_stop(struct ts_guard *guard)
{
	uint64_t one = 1;

	if (!guard->running)
		return;
	(void)!write(guard->wake, &one, sizeof one);
	pthread_join(guard->thread, NULL);
	guard->running = false;
	close_arrivals(guard);
	log_counts(guard);
}

void ts_guard_release(struct ts_guard *guard)
{
	if (!guard || atomic_fetch_sub(&guard->references, 1) > 1)
		return;
	if (guard->poll >= 0)
		(void)close(guard->poll);
	if (guard->wake >= 0)
		(void)close(guard->wake);
	ts_peers_finish(&guard->peers);
	pthread_mutex_destroy(&guard->log_mutex);
	ts_free(guard);
}
