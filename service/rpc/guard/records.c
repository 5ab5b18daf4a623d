#include "service/rpc/guard/records.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

enum { RECORD = 16384 };

/* ---- the socket below OpenSSL, without SIGPIPE ---- */

static int fd_of(BIO *bio)
{
	return (int)(intptr_t)BIO_get_data(bio);
}

static int finish(BIO *bio, ssize_t n, int retry)
{
	BIO_clear_retry_flags(bio);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
		BIO_set_flags(bio, retry | BIO_FLAGS_SHOULD_RETRY);
	return (int)n;
}

static int read_socket(BIO *bio, char *out, int n)
{
	return finish(bio, recv(fd_of(bio), out, (size_t)n, MSG_DONTWAIT), BIO_FLAGS_READ);
}

static int write_socket(BIO *bio, const char *bytes, int n)
{
	return finish(bio, send(fd_of(bio), bytes, (size_t)n, MSG_DONTWAIT | MSG_NOSIGNAL), BIO_FLAGS_WRITE);
}

static long control(BIO *bio, int command, long number, void *arg)
{
	(void)bio, (void)number, (void)arg;
	return command == BIO_CTRL_FLUSH;
}

static BIO_METHOD *method;

static void make_method(void)
{
	method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket of a client");
	if (!method)
		return;
	(void)BIO_meth_set_read(method, read_socket);
	(void)BIO_meth_set_write(method, write_socket);
	(void)BIO_meth_set_ctrl(method, control);
}

bool ts_records_attach(SSL *ssl, int fd)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	BIO *bio;

	(void)pthread_once(&once, make_method);
	bio = method ? BIO_new(method) : NULL;
	if (!bio)
		return false;
	BIO_set_data(bio, (void *)(intptr_t)fd);
	BIO_set_init(bio, 1);
	SSL_set_bio(ssl, bio, bio);
	return true;
}

/* ---- messages ---- */

/* Where in the pieces of a message something is. */
struct place {
	size_t piece, at;
};

static void move(const struct msghdr *message, struct place *place, size_t n)
{
	place->at += n;
	while (place->piece < message->msg_iovlen && place->at >= message->msg_iov[place->piece].iov_len) {
		place->at -= message->msg_iov[place->piece].iov_len;
		place->piece++;
	}
}

ssize_t ts_records_receive(SSL *ssl, struct msghdr *message)
{
	struct place place = {0, 0};
	size_t got = 0;
	int n = 1, why;

	ERR_clear_error();
	move(message, &place, 0);
	while (n > 0 && place.piece < message->msg_iovlen) {
		const struct iovec *piece = &message->msg_iov[place.piece];

		n = SSL_read(ssl, (char *)piece->iov_base + place.at, (int)(piece->iov_len - place.at));
		if (n > 0) {
			got += (size_t)n;
			move(message, &place, (size_t)n);
		}
	}
	/* C-core asks how much more there is by a control message, and without one it reads until there is nothing. */
	message->msg_controllen = 0;
	message->msg_flags = 0;
	if (got)
		return (ssize_t)got;
	why = SSL_get_error(ssl, n);
	ERR_clear_error();
	if (why == SSL_ERROR_ZERO_RETURN)
		return 0;
	errno = why == SSL_ERROR_WANT_READ || why == SSL_ERROR_WANT_WRITE ? EAGAIN : ECONNRESET;
	return -1;
}

/* The next bytes of a message, at most a record of them: where they lie, or gathered, since small pieces share a record. */
static const void *gather(const struct msghdr *message, struct place place, uint8_t record[RECORD], size_t *ret_n)
{
	const struct iovec *piece = &message->msg_iov[place.piece];
	size_t n = 0;

	if (piece->iov_len - place.at >= RECORD) {
		*ret_n = RECORD;
		return (const uint8_t *)piece->iov_base + place.at;
	}
	while (place.piece < message->msg_iovlen && n < RECORD) {
		size_t len;

		piece = &message->msg_iov[place.piece];
		len = piece->iov_len - place.at < RECORD - n ? piece->iov_len - place.at : RECORD - n;
		memcpy(record + n, (const uint8_t *)piece->iov_base + place.at, len);
		n += len;
		move(message, &place, len);
	}
	*ret_n = n;
	return record;
}

ssize_t ts_records_send(SSL *ssl, const struct msghdr *message, bool *ret_full)
{
	uint8_t record[RECORD];
	struct place place = {0, 0};
	size_t put = 0, len;
	const void *bytes;
	int n = 1, why;

	*ret_full = false;
	ERR_clear_error();
	move(message, &place, 0);
	while (place.piece < message->msg_iovlen) {
		bytes = gather(message, place, record, &len);
		n = SSL_write(ssl, bytes, (int)len);
		if (n <= 0)
			break;
		put += (size_t)n;
		move(message, &place, (size_t)n);
	}
	if (n > 0)
		return (ssize_t)put;
	why = SSL_get_error(ssl, n);
	ERR_clear_error();
	*ret_full = why == SSL_ERROR_WANT_WRITE || why == SSL_ERROR_WANT_READ;
	if (put)
		return (ssize_t)put;
	errno = *ret_full ? EAGAIN : ECONNRESET;
	return -1;
}
