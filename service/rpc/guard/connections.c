#include "service/rpc/guard/connections.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/held.h"
#include "service/rpc/guard/beneath.h"
#include "service/rpc/guard/guard_state.h"
#include "service/rpc/guard/records.h"

#include <errno.h>
#include <openssl/ssl.h>

static _Atomic(struct ts_connection *) table[TS_DESCRIPTORS_MAX];
static pthread_mutex_t table_mutex = PTHREAD_MUTEX_INITIALIZER;

struct ts_connection *ts_connections_at(int fd)
{
	return fd >= 0 && fd < TS_DESCRIPTORS_MAX ? atomic_load_explicit(&table[fd], memory_order_acquire) : NULL;
}

bool ts_connections_preempted(void)
{
	return &ts_preempt_is_linked != NULL;
}

/* ---- the table ---- */

/* TLS 1.3 lets a client ask for new keys as often as it likes, between any two records. */
static void count_key_updates(int written, int version, int type, const void *bytes, size_t n, SSL *ssl, void *arg)
{
	unsigned *key_updates = arg;

	(void)version, (void)ssl;
	if (!written && type == SSL3_RT_HANDSHAKE && n && *(const uint8_t *)bytes == SSL3_MT_KEY_UPDATE)
		++*key_updates;
}

struct ts_connection *ts_connections_add(struct ts_guard *guard, int fd, const struct ts_peer *peer, unsigned place,
					 struct ssl_st *ssl)
{
	struct ts_connection *connection = ts_alloc_array(1, sizeof *connection);

	if (!connection)
		return NULL;
	connection->fd = fd;
	connection->guard = guard;
	connection->peer = *peer;
	connection->place = place;
	connection->arriving = true;
	connection->ssl = ssl;
	if (ssl) {
		SSL_set_msg_callback(ssl, count_key_updates);
		SSL_set_msg_callback_arg(ssl, &connection->key_updates);
	}
	pthread_mutex_init(&connection->mutex, NULL);
	ts_conduct_init(&connection->conduct, ts_now_mono_ns());
	atomic_fetch_add(&guard->references, 1);
	atomic_fetch_add(&guard->connections, 1);
	pthread_mutex_lock(&table_mutex);
	atomic_store_explicit(&table[fd], connection, memory_order_release);
	pthread_mutex_unlock(&table_mutex);
	return connection;
}

static void leave(struct ts_connection *connection)
{
	ts_peers_leave(&connection->guard->peers, connection->place);
	atomic_fetch_sub(&connection->guard->connections, 1);
}

void ts_connections_forget(int fd)
{
	struct ts_connection *connection;

	pthread_mutex_lock(&table_mutex);
	connection = atomic_exchange(&table[fd], NULL);
	pthread_mutex_unlock(&table_mutex);
	if (!connection)
		return;
	/* Who found it in the table before may still hold its lock. */
	pthread_mutex_lock(&connection->mutex);
	if (!connection->ended)
		leave(connection);
	pthread_mutex_unlock(&connection->mutex);
	pthread_mutex_destroy(&connection->mutex);
	SSL_free(connection->ssl);
	atomic_fetch_add(&connection->guard->moved, 1);
	ts_guard_release(connection->guard);
	ts_free(connection);
}

bool ts_connections_peer(int fd, struct ts_peer *ret_peer)
{
	struct ts_connection *connection;

	pthread_mutex_lock(&table_mutex);
	connection = ts_connections_at(fd);
	if (connection) {
		pthread_mutex_lock(&connection->mutex); /* the guard's thread wrote it with this lock */
		*ret_peer = connection->peer;
		pthread_mutex_unlock(&connection->mutex);
	}
	pthread_mutex_unlock(&table_mutex);
	return connection;
}

bool ts_connections_revoked(int fd)
{
	struct ts_connection *connection;
	bool revoked;

	pthread_mutex_lock(&table_mutex);
	connection = ts_connections_at(fd);
	revoked = connection && atomic_load(&connection->revoked_ns);
	pthread_mutex_unlock(&table_mutex);
	return revoked;
}

void ts_connections_each(struct ts_guard *guard, void (*fn)(void *ctx, struct ts_connection *connection), void *ctx)
{
	for (int fd = 0; fd < TS_DESCRIPTORS_MAX; fd++) {
		struct ts_connection *connection;

		if (!atomic_load_explicit(&table[fd], memory_order_relaxed))
			continue;
		pthread_mutex_lock(&table_mutex);
		connection = ts_connections_at(fd);
		if (connection && connection->guard != guard)
			connection = NULL;
		if (connection)
			pthread_mutex_lock(&connection->mutex);
		pthread_mutex_unlock(&table_mutex);
		if (!connection)
			continue;
		fn(ctx, connection);
		pthread_mutex_unlock(&connection->mutex);
	}
}

/* ---- ending a connection ---- */

/* Writes a GOAWAY (RFC 9113, 6.8) with ENHANCE_YOUR_CALM and the cause as its text, after the SETTINGS that a server sends first. */
static size_t farewell(uint8_t out[256], enum ts_cutoff cause, bool settings, uint8_t first_of_last_stream)
{
	static const uint8_t empty_settings[TS_FRAME_HEAD] = {[3] = TS_FRAME_SETTINGS};
	const char *text = ts_cutoff_text(cause);
	size_t n = strlen(text), at = 0;
	uint8_t last = first_of_last_stream ? 0xff : 0;
	uint8_t goaway[TS_FRAME_HEAD + 8] = {0, 0, (uint8_t)(8 + n), TS_FRAME_GOAWAY, 0, 0, 0, 0, 0,
					     first_of_last_stream, last, last, last, 0, 0, 0, 11};

	if (settings) {
		memcpy(out, empty_settings, sizeof empty_settings);
		at = sizeof empty_settings;
	}
	memcpy(out + at, goaway, sizeof goaway);
	memcpy(out + at + sizeof goaway, text, n);
	return at + sizeof goaway + n;
}

void ts_connections_refuse(int fd, enum ts_cutoff cause)
{
	uint8_t bytes[256];
	size_t n = farewell(bytes, cause, true, 0);

	(void)!send(fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/* Whether the client can be told something: the last frame to it is whole, and no record of TLS waits to be sent. */
static bool can_tell(const struct ts_connection *connection)
{
	return !connection->sending && ts_frames_between(&connection->conduct.down) &&
	       (!connection->ssl || (connection->shaken && !connection->conduct.full));
}

void ts_connections_cut(struct ts_connection *connection, enum ts_cutoff cause, int64_t now_ns)
{
	struct ts_guard *guard = connection->guard;
	uint8_t bytes[256];
	size_t n;

	if (connection->ended)
		return;
	connection->ended = true;
	leave(connection);
	atomic_fetch_add(&guard->cut, 1);
	ts_guard_note(guard, &connection->peer, cause, connection->refused, now_ns);
	/* What had been sent to C-core or to the client so far may have been accepted. */
	n = farewell(bytes, cause, connection->conduct.sent == 0, 0x7f);
	if (can_tell(connection) && connection->ssl)
		(void)SSL_write(connection->ssl, bytes, (int)n);
	else if (can_tell(connection))
		(void)!send(connection->fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);
	(void)shutdown(connection->fd, SHUT_RDWR);
}

/* ---- what passes through ---- */

/* The first n bytes that a message describes, a piece at a time. */
static enum ts_cutoff judge(struct ts_connection *connection, const struct msghdr *message, size_t n, bool up, int64_t now_ns)
{
	enum ts_cutoff cause = TS_CUTOFF_NONE;

	for (size_t i = 0; i < message->msg_iovlen && n && !cause; i++) {
		size_t len = message->msg_iov[i].iov_len < n ? message->msg_iov[i].iov_len : n;
		struct ts_span bytes = ts_span_of(message->msg_iov[i].iov_base, len);

		if (up)
			cause = ts_conduct_up(&connection->conduct, bytes, now_ns);
		else
			ts_conduct_down(&connection->conduct, bytes, now_ns);
		n -= len;
	}
	return cause;
}

/* What the connection did is added to what the peer did. */
static enum ts_cutoff settle(struct ts_connection *connection, int64_t now_ns)
{
	unsigned calls, resets;
	bool first;

	ts_conduct_take(&connection->conduct, &calls, &resets);
	if (!calls && !resets)
		return TS_CUTOFF_NONE;
	atomic_fetch_add(&connection->guard->resets, resets);
	first = calls && !connection->called;
	connection->called |= calls > 0;
	return ts_peers_settle(&connection->guard->peers, connection->place, calls, first, resets, now_ns) ? TS_CUTOFF_NONE
													  : TS_CUTOFF_RESETS;
}

/* The caller holds the lock. n bytes have passed; returns whether they may. */
static bool pass(struct ts_connection *connection, const struct msghdr *message, size_t n, bool up)
{
	int64_t now_ns = ts_now_mono_ns();
	enum ts_cutoff cause;

	TS_DOOR_HELD(&connection->mutex);
	atomic_fetch_add_explicit(&connection->guard->moved, 1, memory_order_relaxed);
	if (connection->ended)
		return false;
	cause = judge(connection, message, n, up, now_ns);
	if (!cause)
		cause = settle(connection, now_ns);
	if (cause)
		ts_connections_cut(connection, cause, now_ns);
	return !cause;
}

static ssize_t receive_plain(struct ts_connection *connection, struct msghdr *message, int flags)
{
	ssize_t n = ts_beneath_recvmsg(connection->fd, message, flags);
	bool may;

	if (n <= 0)
		return n;
	pthread_mutex_lock(&connection->mutex);
	may = pass(connection, message, (size_t)n, true);
	pthread_mutex_unlock(&connection->mutex);
	if (may)
		return n;
	errno = ECONNRESET;
	return -1;
}

static bool spend_key_updates(struct ts_connection *connection)
{
	static const struct ts_rate keys = {100, 1};
	int64_t now_ns = ts_now_mono_ns();
	unsigned n = connection->key_updates;

	connection->key_updates = 0;
	if (!n || ts_allowance_spend(&connection->keys, &keys, n, now_ns))
		return true;
	ts_connections_cut(connection, TS_CUTOFF_KEY_UPDATES, now_ns);
	return false;
}

/* A session of OpenSSL reads and writes one at a time, so the lock is held while it does. */
static ssize_t receive_tls(struct ts_connection *connection, struct msghdr *message)
{
	ssize_t n = -1;

	pthread_mutex_lock(&connection->mutex);
	if (connection->ended)
		errno = ECONNRESET;
	else
		n = ts_records_receive(connection->ssl, message);
	if ((n > 0 && !pass(connection, message, (size_t)n, true)) || !spend_key_updates(connection)) {
		errno = ECONNRESET;
		n = -1;
	}
	pthread_mutex_unlock(&connection->mutex);
	return n;
}

ssize_t ts_connections_receive(struct ts_connection *connection, struct msghdr *message, int flags)
{
	return connection->ssl ? receive_tls(connection, message) : receive_plain(connection, message, flags);
}

/* False: it was cut. */
static bool begin_sending(struct ts_connection *connection)
{
	bool may;

	pthread_mutex_lock(&connection->mutex);
	may = !connection->ended;
	connection->sending = may;
	pthread_mutex_unlock(&connection->mutex);
	return may;
}

static ssize_t send_plain(struct ts_connection *connection, const struct msghdr *message, int flags)
{
	ssize_t n;
	int errnum;

	if (!begin_sending(connection)) {
		errno = ECONNRESET;
		return -1;
	}
	n = ts_beneath_sendmsg(connection->fd, message, flags);
	errnum = errno;
	pthread_mutex_lock(&connection->mutex);
	connection->sending = false;
	connection->conduct.full = n < 0 && (errnum == EAGAIN || errnum == EWOULDBLOCK);
	if (n > 0)
		(void)pass(connection, message, (size_t)n, false);
	pthread_mutex_unlock(&connection->mutex);
	errno = errnum;
	return n;
}

static ssize_t send_tls(struct ts_connection *connection, const struct msghdr *message)
{
	ssize_t n = -1;
	int errnum = ECONNRESET;

	pthread_mutex_lock(&connection->mutex);
	if (!connection->ended) {
		n = ts_records_send(connection->ssl, message, &connection->conduct.full);
		errnum = errno;
	}
	if (n > 0)
		(void)pass(connection, message, (size_t)n, false);
	pthread_mutex_unlock(&connection->mutex);
	errno = errnum;
	return n;
}

ssize_t ts_connections_send(struct ts_connection *connection, const struct msghdr *message, int flags)
{
	return connection->ssl ? send_tls(connection, message) : send_plain(connection, message, flags);
}
