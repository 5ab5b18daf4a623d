/* TLS of the server: who is let in and by which name, files that change, and floods by those who have a certificate. */
#include "service/rpc/testing.h"

#include "service/rpc/guard/frames.h"
#include "service/rpc/guard/named.h"
#include "service/rpc/guard/test_cert.h"
#include "service/rpc/routed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static struct testing t;
static struct test_cert ca, other_ca, server_cert;
static char cert_path[96], key_path[96], ca_path[96], crl_path[96];
static int saved_stderr = -1; /* while the log goes to a file */
static SSL_SESSION *session; /* the last ticket that a client got */

static int setup(void **state)
{
	(void)state;
	testing_init(&t);
	(void)snprintf(cert_path, sizeof cert_path, "%s/cert", t.dir);
	(void)snprintf(key_path, sizeof key_path, "%s/key", t.dir);
	(void)snprintf(ca_path, sizeof ca_path, "%s/ca", t.dir);
	(void)snprintf(crl_path, sizeof crl_path, "%s/crl", t.dir);
	test_cert_write(&server_cert, cert_path, key_path);
	test_cert_write(&ca, ca_path, NULL);
	t.listeners[1].address = "tls:127.0.0.1:0";
	t.options.tls = (struct ts_tls_files){
		.cert = cert_path, .key = key_path, .client_ca = ca_path, .client = TS_TLS_CLIENT_OPTIONAL};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	testing_finish(&t);
	if (saved_stderr >= 0) {
		dup2(saved_stderr, STDERR_FILENO);
		close(saved_stderr);
		saved_stderr = -1;
	}
	SSL_SESSION_free(session);
	session = NULL;
	return 0;
}

/* ---- a client, by hand ---- */

struct client {
	int fd;
	SSL *ssl;
	bool shaken;
	uint8_t bytes[1 << 17];
	size_t n, at;
	int64_t windows[2], initial; /* how much the server lets it send on the connection and on stream 1, and on a new one */
};

struct hello {
	const struct test_cert *cert;
	const struct test_cert *via; /* who signed it; NULL: the CA that the server knows */
	const char *alpn; /* NULL: h2; empty: none */
	int max_version;
	SSL_SESSION *resume;
};

static int keep_ticket(SSL *ssl, SSL_SESSION *one)
{
	(void)ssl;
	SSL_SESSION_free(session);
	session = one;
	return 1;
}

static SSL_CTX *client_context(const struct hello *hello)
{
	SSL_CTX *context = SSL_CTX_new(TLS_client_method());

	assert_non_null(context);
	assert_int_equal(SSL_CTX_load_verify_file(context, ca_path), 1);
	SSL_CTX_set_verify(context, SSL_VERIFY_PEER, NULL);
	(void)SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE);
	SSL_CTX_sess_set_new_cb(context, keep_ticket);
	if (hello->max_version) {
		SSL_CTX_set_security_level(context, 0);
		(void)SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
		(void)SSL_CTX_set_max_proto_version(context, hello->max_version);
	}
	if (hello->cert) {
		assert_int_equal(SSL_CTX_use_certificate(context, hello->cert->cert), 1);
		assert_int_equal(SSL_CTX_use_PrivateKey(context, hello->cert->key), 1);
	}
	if (hello->via)
		assert_int_equal(SSL_CTX_add1_chain_cert(context, hello->via->cert), 1);
	return context;
}

static int dial(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct timeval patience = {.tv_sec = 20};
	const char *address = testing_tcp(&t);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_memory_equal(address, "tls:127.0.0.1:", 14);
	to.sin_port = htons((uint16_t)strtoul(address + 14, NULL, 10));
	assert_int_equal(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
	assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
	return fd;
}

static struct client *connect_as(const struct hello *hello)
{
	struct client *c = calloc(1, sizeof *c);
	SSL_CTX *context = client_context(hello);
	const char *alpn = hello->alpn ? hello->alpn : "\2h2";

	assert_non_null(c);
	c->windows[0] = c->windows[1] = c->initial = 65535;
	c->fd = dial();
	c->ssl = SSL_new(context);
	assert_non_null(c->ssl);
	assert_int_equal(SSL_set_fd(c->ssl, c->fd), 1);
	if (alpn[0])
		assert_int_equal(SSL_set_alpn_protos(c->ssl, (const unsigned char *)alpn, (unsigned)strlen(alpn)), 0);
	if (hello->resume)
		assert_int_equal(SSL_set_session(c->ssl, hello->resume), 1);
	c->shaken = SSL_connect(c->ssl) == 1;
	ERR_clear_error();
	SSL_CTX_free(context);
	return c;
}

static void hang_up(struct client *c)
{
	/* OpenSSL forgets the ticket of a connection that it believes broken. */
	if (c->ssl)
		SSL_set_shutdown(c->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
	SSL_free(c->ssl);
	close(c->fd);
	free(c);
}

static bool say(struct client *c, const void *bytes, size_t n)
{
	bool fine = SSL_write(c->ssl, bytes, (int)n) == (int)n;

	ERR_clear_error();
	return fine;
}

static size_t head(uint8_t out[TS_FRAME_HEAD], enum ts_frame_type type, int flags, uint32_t stream, size_t n)
{
	uint8_t bytes[TS_FRAME_HEAD] = {(uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n, (uint8_t)type, (uint8_t)flags,
					(uint8_t)(stream >> 24), (uint8_t)(stream >> 16), (uint8_t)(stream >> 8), (uint8_t)stream};

	memcpy(out, bytes, sizeof bytes);
	return sizeof bytes;
}

static bool send_frame(struct client *c, enum ts_frame_type type, int flags, uint32_t stream, const void *payload, size_t n)
{
	uint8_t bytes[TS_FRAME_HEAD + 16384];
	size_t at = head(bytes, type, flags, stream, n);

	if (n)
		memcpy(bytes + at, payload, n);
	return say(c, bytes, at + n);
}

static bool greet(struct client *c)
{
	static const uint8_t wide[6] = {0, 4, 0x7f, 0xff, 0xff, 0xff}, more[4] = {0x7f, 0, 0, 0};

	return say(c, TS_PREFACE, TS_PREFACE_BYTES) && send_frame(c, TS_FRAME_SETTINGS, 0, 0, wide, sizeof wide) &&
	       send_frame(c, TS_FRAME_WINDOW_UPDATE, 0, 0, more, sizeof more);
}

/* Literals without an index (RFC 7541, 6.2.2). */
static bool begin_call(struct client *c, uint32_t stream, const char *method)
{
	char path[64];
	const char *fields[][2] = {{":method", "POST"}, {":scheme", "https"}, {":path", path}, {":authority", "localhost"},
				   {"content-type", "application/grpc"}, {"te", "trailers"}};
	uint8_t block[512];
	size_t n = 0;

	(void)snprintf(path, sizeof path, "/tscope.v1.Tscope/%s", method);
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
		block[n++] = 0;
		for (int k = 0; k < 2; k++) {
			size_t len = strlen(fields[i][k]);

			block[n++] = (uint8_t)len;
			memcpy(block + n, fields[i][k], len);
			n += len;
		}
	}
	return send_frame(c, TS_FRAME_HEADERS, TS_FRAME_END_HEADERS, stream, block, n);
}

/* Reads the next whole frame; false: the connection has ended. */
static bool next_frame(struct client *c, struct ts_frame *frame, const uint8_t **payload)
{
	for (;;) {
		const uint8_t *b = c->bytes + c->at;
		size_t have = c->n - c->at, n = have < TS_FRAME_HEAD ? 0 : (size_t)b[0] << 16 | (size_t)b[1] << 8 | b[2];
		int got;

		if (have >= TS_FRAME_HEAD && have >= TS_FRAME_HEAD + n) {
			*frame = (struct ts_frame){
				.length = (uint32_t)n, .type = b[3], .flags = b[4], .stream = (uint32_t)b[7] << 8 | b[8]};
			*payload = b + TS_FRAME_HEAD;
			c->at += TS_FRAME_HEAD + n;
			return true;
		}
		memmove(c->bytes, b, have);
		c->at = 0;
		c->n = have;
		got = SSL_read(c->ssl, c->bytes + have, (int)(sizeof c->bytes - have));
		ERR_clear_error();
		if (got <= 0)
			return false;
		c->n += (size_t)got;
	}
}

static int64_t be32(const uint8_t *at)
{
	return (int64_t)at[0] << 24 | (int64_t)at[1] << 16 | (int64_t)at[2] << 8 | at[3];
}

/* Takes a frame that is not of the reply. */
static void attend(struct client *c, const struct ts_frame *frame, const uint8_t *payload)
{
	if (frame->type == TS_FRAME_SETTINGS && !(frame->flags & TS_FRAME_ACK)) {
		for (uint32_t i = 0; i + 6 <= frame->length; i += 6)
			if (payload[i] == 0 && payload[i + 1] == TS_SETTING_INITIAL_WINDOW) {
				c->windows[1] += be32(payload + i + 2) - c->initial;
				c->initial = be32(payload + i + 2);
			}
		(void)send_frame(c, TS_FRAME_SETTINGS, TS_FRAME_ACK, 0, NULL, 0);
	}
	if (frame->type == TS_FRAME_PING && !(frame->flags & TS_FRAME_ACK))
		(void)send_frame(c, TS_FRAME_PING, TS_FRAME_ACK, 0, payload, 8);
	if (frame->type == TS_FRAME_WINDOW_UPDATE)
		c->windows[frame->stream != 0] += be32(payload);
}

/* Reads to the end of a stream. Returns the number of bytes of its messages, -1 if the connection ended; text gets the first. */
static int64_t reply(struct client *c, uint32_t stream, char text[256], int pause_ms)
{
	struct ts_frame frame;
	const uint8_t *payload;
	int64_t total = 0;

	memset(text, 0, 256);
	while (next_frame(c, &frame, &payload)) {
		attend(c, &frame, payload);
		if (frame.stream != stream)
			continue;
		if (frame.type == TS_FRAME_DATA) {
			for (uint32_t i = 0; i < frame.length && total + i < 255; i++)
				text[total + i] = (char)payload[i];
			total += frame.length;
		}
		if (frame.flags & TS_FRAME_END_STREAM && frame.type <= TS_FRAME_HEADERS)
			return total;
		if (pause_ms)
			(void)poll(NULL, 0, pause_ms);
	}
	return -1;
}

static bool call(struct client *c, uint32_t stream, const char *method, const void *request, uint8_t n)
{
	uint8_t message[64] = {0, 0, 0, 0, n};

	if (n)
		memcpy(message + 5, request, n);
	return begin_call(c, stream, method) && send_frame(c, TS_FRAME_DATA, TS_FRAME_END_STREAM, stream, message, 5U + n);
}

/* Who the server says the client is; the connection stays. */
static const char *who(struct client *c, uint32_t stream, char text[256])
{
	if (!c->shaken || (stream == 1 && !greet(c)) || !call(c, stream, "Who", NULL, 0) || reply(c, stream, text, 0) < 5)
		return "nobody";
	return text + 5;
}

static void is_known_as(const struct hello *hello, const char *want)
{
	struct client *c = connect_as(hello);
	char text[256];

	assert_memory_equal(who(c, 1, text), want, strlen(want));
	hang_up(c);
}

/* ---- who is let in ---- */

static void a_certificate_says_who_it_is(void **state)
{
	static const struct {
		const char *subject, *names, *known;
	} people[] = {
		{"a", "DNS:a.example,email:a@example,URI:spiffe://example/ada", "spiffe://example/ada"},
		{"b", "DNS:b.example,email:b@example", "b@example"},
		{"c", "DNS:c.example,DNS:d.example", "c.example"},
		{"carol", NULL, "CN=carol"},
		{"a, b=c", NULL, "CN=a\\, b=c"},
		{"dave", "URI:spiffe://example/0123456789012345678901234567890123456789012345678901234567890123456789", "sha256:"},
		{"eve", "URI:spiffe://example/a\nb", "sha256:"},
	};

	(void)state;
	t.options.tls.client = TS_TLS_CLIENT_REQUIRED;
	testing_start(&t);
	for (size_t i = 0; i < sizeof people / sizeof people[0]; i++) {
		struct test_cert cert = test_cert_make(people[i].subject, people[i].names, &ca, 10);

		char want[TS_PEER_TEXT + 8];

		(void)snprintf(want, sizeof want, "cert:%s", people[i].known);
		is_known_as(&(struct hello){.cert = &cert}, want);
		is_known_as(&(struct hello){.cert = &cert, .max_version = TLS1_2_VERSION}, want);
		test_cert_free(&cert);
	}
}

static void names_differ_where_certificates_do(void **state)
{
	static const char names[] = "URI:https://example/\xc3\xa4";
	struct test_cert a = test_cert_make("x", names, &ca, 10), b = test_cert_make("x", names, &ca, 10);
	char one[TS_PEER_TEXT], other[TS_PEER_TEXT];

	(void)state;
	ts_identity_name(a.cert, one);
	ts_identity_name(b.cert, other);
	assert_string_not_equal(one, other);
	assert_int_equal(strlen(one), 7 + 64);
	test_cert_free(&a);
	test_cert_free(&b);
}

static void not_let_in(const struct hello *hello)
{
	struct client *c = connect_as(hello);
	char text[256];

	assert_string_equal(who(c, 1, text), "nobody");
	hang_up(c);
}

static void who_has_no_certificate_is_an_address_or_nobody(void **state)
{
	struct test_cert foreign = test_cert_make("ada", "URI:spiffe://example/ada", &other_ca, 10);
	struct test_cert expired = test_cert_make("ada", "URI:spiffe://example/ada", &ca, -1);

	(void)state;
	testing_start(&t);
	is_known_as(&(struct hello){.cert = NULL}, "127.0.0.1:");
	not_let_in(&(struct hello){.cert = &foreign});
	not_let_in(&(struct hello){.cert = &expired});
	testing_finish(&t);
	setup(NULL);
	t.options.tls.client = TS_TLS_CLIENT_REQUIRED;
	testing_start(&t);
	not_let_in(&(struct hello){.cert = NULL});
	not_let_in(&(struct hello){.cert = &foreign});
	testing_finish(&t);
	setup(NULL);
	t.options.tls.client = TS_TLS_CLIENT_NONE;
	testing_start(&t);
	is_known_as(&(struct hello){.cert = &foreign}, "127.0.0.1:"); /* it is not asked for */
	test_cert_free(&foreign);
	test_cert_free(&expired);
}

static void only_http2_over_tls_that_is_not_old(void **state)
{
	struct client *plain;
	uint8_t byte;

	(void)state;
	testing_start(&t);
	not_let_in(&(struct hello){.alpn = ""});
	not_let_in(&(struct hello){.alpn = "\10http/1.1"});
	not_let_in(&(struct hello){.max_version = TLS1_1_VERSION});
	is_known_as(&(struct hello){.alpn = "\10http/1.1\2h2"}, "127.0.0.1:");
	/* HTTP/2 without TLS. */
	plain = calloc(1, sizeof *plain);
	plain->fd = dial();
	assert_int_equal(send(plain->fd, TS_PREFACE, TS_PREFACE_BYTES, MSG_NOSIGNAL), TS_PREFACE_BYTES);
	while (read(plain->fd, &byte, 1) > 0)
		;
	hang_up(plain);
}

/* ---- files that change ---- */

static long serial_of(struct client *c)
{
	X509 *cert = SSL_get1_peer_certificate(c->ssl);
	long serial = cert ? ASN1_INTEGER_get(X509_get0_serialNumber(cert)) : -1;

	X509_free(cert);
	return serial;
}

/* Connects, calls, and keeps the ticket; returns whether a ticket was taken. */
static bool resumes(SSL_SESSION *ticket, const struct test_cert *cert, long *ret_serial)
{
	struct client *c = connect_as(&(struct hello){.cert = cert, .resume = ticket});
	bool reused = SSL_session_reused(c->ssl);
	char text[256];

	assert_string_equal(who(c, 1, text), "cert:CN=ada");
	*ret_serial = serial_of(c);
	hang_up(c);
	return reused;
}

static void certificates_change_while_it_runs(void **state)
{
	struct test_cert ada = test_cert_make("ada", NULL, &ca, 10);
	struct test_cert renewed = test_cert_make("server", "DNS:localhost", &ca, 10);
	long before = ASN1_INTEGER_get(X509_get0_serialNumber(server_cert.cert)), serial;
	struct client *old;
	struct ts_error err;
	char text[256];
	FILE *f;
	bool tls;

	(void)state;
	testing_start(&t);
	old = connect_as(&(struct hello){.cert = &ada});
	assert_string_equal(who(old, 1, text), "cert:CN=ada");
	assert_false(resumes(NULL, &ada, &serial));
	assert_int_equal(serial, before);
	assert_true(resumes(session, &ada, &serial));
	/* A key that does not fit is refused, and nothing changes. */
	test_cert_write(&renewed, cert_path, NULL);
	assert_int_equal(ts_server_reload(t.server, &tls, &err), TS_INVALID);
	assert_true(tls);
	assert_non_null(strstr(err.text, key_path));
	assert_false(resumes(NULL, &ada, &serial));
	assert_int_equal(serial, before);
	test_cert_write(&renewed, NULL, key_path);
	assert_int_equal(ts_server_reload(t.server, &tls, &err), TS_OK);
	assert_true(resumes(session, &ada, &serial)); /* by a ticket of before */
	assert_false(resumes(NULL, &ada, &serial));
	assert_int_equal(serial, ASN1_INTEGER_get(X509_get0_serialNumber(renewed.cert)));
	/* Another CA: a ticket says that the old one had verified its owner. */
	f = fopen(ca_path, "a");
	assert_true(f && fputs("\n", f) >= 0 && fclose(f) == 0);
	assert_int_equal(ts_server_reload(t.server, &tls, &err), TS_OK);
	assert_false(resumes(session, &ada, &serial));
	assert_string_equal(who(old, 3, text), "cert:CN=ada"); /* the connection of before */
	hang_up(old);
	test_cert_free(&ada);
	test_cert_free(&renewed);
}

static void a_change_is_noticed_without_a_signal(void **state)
{
	struct test_cert ada = test_cert_make("ada", NULL, &ca, 10);
	struct test_cert renewed = test_cert_make("server", "DNS:localhost", &ca, 10);
	long want = ASN1_INTEGER_get(X509_get0_serialNumber(renewed.cert)), serial = 0;

	(void)state;
	testing_start(&t);
	test_cert_write(&renewed, cert_path, key_path);
	for (int i = 0; i < 300 && serial != want; i++) {
		(void)poll(NULL, 0, 100);
		(void)resumes(NULL, &ada, &serial);
	}
	assert_int_equal(serial, want);
	test_cert_free(&ada);
	test_cert_free(&renewed);
}

/* From here to the end of the test the log goes to a file. */
static void log_to_file(void)
{
	char path[96];
	int fd;

	(void)snprintf(path, sizeof path, "%s/log", t.dir);
	fd = open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	saved_stderr = dup(STDERR_FILENO);
	dup2(fd, STDERR_FILENO);
	close(fd);
}

static bool is_logged(const char *what)
{
	char path[96], *text;
	FILE *f;
	bool found;

	(void)snprintf(path, sizeof path, "%s/log", t.dir);
	f = fopen(path, "r");
	text = calloc(1, 1 << 16);
	assert_true(f && text);
	(void)!fread(text, 1, (1 << 16) - 1, f);
	found = strstr(text, what);
	free(text);
	(void)fclose(f);
	return found;
}

static void comes_to_be_logged_in(const char *what, int seconds)
{
	for (int i = 0; i < 100 * seconds && !is_logged(what); i++)
		(void)poll(NULL, 0, 10);
	assert_true(is_logged(what));
}

static void comes_to_be_logged(const char *what)
{
	comes_to_be_logged_in(what, 2);
}

static void a_revoked_certificate_is_refused_by_name(void **state)
{
	struct test_cert ada = test_cert_make("ada", NULL, &ca, 10), bob = test_cert_make("bob", "URI:spiffe://x/bob", &ca, 10);
	struct ts_guard_counts counts;
	struct ts_error err;
	long serial;
	bool tls;

	(void)state;
	test_cert_revoke(&ca, &bob, 86400, crl_path);
	t.options.tls.crl = crl_path;
	log_to_file();
	testing_start(&t);
	not_let_in(&(struct hello){.cert = &bob});
	not_let_in(&(struct hello){.cert = &bob, .max_version = TLS1_2_VERSION});
	comes_to_be_logged("cause=certificate");
	assert_true(is_logged("certificate=\"spiffe://x/bob: certificate revoked\""));
	is_known_as(&(struct hello){.max_version = 0}, "127.0.0.1:"); /* who shows none: it is optional here */
	assert_false(resumes(NULL, &ada, &serial));
	assert_true(resumes(session, &ada, &serial));
	/* What was verified by the old list is nothing worth with the new one. */
	test_cert_revoke(&ca, &ada, 86400, crl_path);
	assert_int_equal(ts_server_reload(t.server, &tls, &err), TS_OK);
	not_let_in(&(struct hello){.cert = &ada, .resume = session});
	comes_to_be_logged("certificate=\"CN=ada: certificate revoked\"");
	is_known_as(&(struct hello){.cert = &bob}, "cert:spiffe://x/bob");
	ts_server_connections(t.server, &counts);
	assert_int_equal(counts.ended[TS_CUTOFF_CERTIFICATE], 3);
	/* A reload that fails leaves the list of before. */
	assert_int_equal(unlink(crl_path), 0);
	assert_int_equal(ts_server_reload(t.server, &tls, &err), TS_NOT_FOUND);
	assert_non_null(strstr(err.text, crl_path));
	not_let_in(&(struct hello){.cert = &ada});
	test_cert_free(&ada);
	test_cert_free(&bob);
}

/* Whoever is connected when its certificate is revoked loses its call and its connection; others keep theirs. */
static void a_revoked_certificate_ends_its_connection(void **state)
{
	struct test_cert ada = test_cert_make("ada", NULL, &ca, 10), bob = test_cert_make("bob", NULL, &ca, 10);
	struct client *revoked, *other;
	struct ts_error err;
	char text[256];
	bool tls, ended;

	(void)state;
	test_cert_revoke(&ca, NULL, 86400, crl_path);
	t.options.tls.crl = crl_path;
	log_to_file();
	atomic_store(&testing_sleeping, 0);
	atomic_store(&testing_stopped, 0);
	testing_start(&t);
	revoked = connect_as(&(struct hello){.cert = &ada});
	other = connect_as(&(struct hello){.cert = &bob});
	assert_string_equal(who(other, 1, text), "cert:CN=bob");
	assert_true(greet(revoked) && call(revoked, 1, "Sleep", "z", 1));
	for (int i = 0; i < 400 && !atomic_load(&testing_sleeping); i++)
		(void)poll(NULL, 0, 10);
	assert_int_equal(atomic_load(&testing_sleeping), 1);
	test_cert_revoke(&ca, &ada, 86400, crl_path);
	assert_int_equal(ts_server_reload(t.server, &tls, &err), TS_OK);
	for (int i = 0; i < 500 && !atomic_load(&testing_stopped); i++)
		(void)poll(NULL, 0, 10);
	assert_int_equal(atomic_load(&testing_stopped), 1);
	for (int i = 0; i < 800 && !is_logged("CN=ada: certificate revoked"); i++)
		(void)poll(NULL, 0, 10);
	ended = is_logged("CN=ada: certificate revoked");
	assert_true(ended);
	assert_string_equal(who(other, 3, text), "cert:CN=bob");
	hang_up(revoked);
	hang_up(other);
	test_cert_free(&ada);
	test_cert_free(&bob);
}

/* A ticket holds the client's certificate and none between it and the CA: so whoever has one between shows them each time, and is found
 * when that one is revoked. */
static void a_revoked_authority_ends_what_it_signed(void **state)
{
	static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};
	struct test_cert middle = test_cert_make_ca("middle", &ca, 10), ada = test_cert_make("ada", NULL, &middle, 10);
	struct test_cert bob = test_cert_make("bob", NULL, &ca, 10);
	struct client *first, *again[2];
	struct ts_error err;
	char text[256];
	bool tls;

	(void)state;
	test_cert_revoke(&ca, NULL, 86400, crl_path);
	test_cert_revoke_too(&middle, NULL, 86400, crl_path);
	t.options.tls.crl = crl_path;
	log_to_file();
	testing_start(&t);
	for (int i = 0; i < 2; i++) { /* who has none between resumes */
		is_known_as(&(struct hello){.cert = &bob, .max_version = versions[i]}, "cert:CN=bob");
		first = connect_as(&(struct hello){.cert = &bob, .max_version = versions[i], .resume = session});
		assert_string_equal(who(first, 1, text), "cert:CN=bob");
		assert_true(SSL_session_reused(first->ssl));
		hang_up(first);
	}
	for (int i = 0; i < 2; i++) {
		is_known_as(&(struct hello){.cert = &ada, .via = &middle, .max_version = versions[i]}, "cert:CN=ada");
		again[i] = connect_as(&(struct hello){.cert = &ada, .via = &middle, .max_version = versions[i], .resume = session});
		assert_string_equal(who(again[i], 1, text), "cert:CN=ada");
		assert_false(SSL_session_reused(again[i]->ssl));
	}
	test_cert_revoke(&ca, &middle, 86400, crl_path);
	test_cert_revoke_too(&middle, NULL, 86400, crl_path);
	assert_int_equal(ts_server_reload(t.server, &tls, &err), TS_OK);
	comes_to_be_logged_in("CN=ada: certificate revoked", 8);
	for (int i = 0; i < 2; i++) {
		assert_string_equal(who(again[i], 3, text), "nobody");
		hang_up(again[i]);
		not_let_in(&(struct hello){.cert = &ada, .via = &middle, .max_version = versions[i]});
	}
	test_cert_free(&middle);
	test_cert_free(&ada);
	test_cert_free(&bob);
}

/* TLS 1.3 renews a ticket when it is used, and so notices at once; TLS 1.2 does not, and the guard looks every five seconds. */
static void a_list_that_has_expired_lets_nobody_in(void **state)
{
	struct test_cert ada = test_cert_make("ada", NULL, &ca, 10);
	SSL_SESSION *of_1_2;
	struct client *c;
	char text[256];
	bool in = true;
	long serial;

	(void)state;
	test_cert_revoke(&ca, NULL, 5, crl_path);
	t.options.tls.crl = crl_path;
	log_to_file();
	testing_start(&t);
	is_known_as(&(struct hello){.cert = &ada, .max_version = TLS1_2_VERSION}, "cert:CN=ada");
	of_1_2 = session;
	assert_int_equal(SSL_SESSION_up_ref(of_1_2), 1);
	assert_false(resumes(NULL, &ada, &serial));
	(void)poll(NULL, 0, 6000);
	not_let_in(&(struct hello){.cert = &ada});
	comes_to_be_logged("certificate=\"CN=ada: CRL has expired\"");
	not_let_in(&(struct hello){.cert = &ada, .resume = session});
	for (int i = 0; i < 150 && in; i++) {
		c = connect_as(&(struct hello){.cert = &ada, .resume = of_1_2, .max_version = TLS1_2_VERSION});
		in = strcmp(who(c, 1, text), "cert:CN=ada") == 0;
		hang_up(c);
		(void)poll(NULL, 0, 100);
	}
	assert_false(in);
	SSL_SESSION_free(of_1_2);
	test_cert_revoke(&ca, NULL, 86400, crl_path);
	for (int i = 0; i < 150 && !in; i++) {
		(void)poll(NULL, 0, 100);
		c = connect_as(&(struct hello){.cert = &ada});
		in = strcmp(who(c, 1, text), "cert:CN=ada") == 0;
		hang_up(c);
	}
	assert_true(in);
	test_cert_free(&ada);
}

static void a_ticket_ends_with_its_certificate(void **state)
{
	struct test_cert ada = test_cert_make("ada", NULL, &ca, 10);
	long serial;

	(void)state;
	test_cert_expire(&ada, &ca, 2);
	log_to_file();
	testing_start(&t);
	assert_false(resumes(NULL, &ada, &serial));
	assert_true(resumes(session, &ada, &serial));
	(void)poll(NULL, 0, 3500);
	not_let_in(&(struct hello){.cert = &ada, .resume = session});
	comes_to_be_logged("certificate=\"CN=ada: certificate has expired\"");
	test_cert_free(&ada);
}

static void what_is_wrong_with_the_lists_is_said(void **state)
{
	struct ts_tls_files files = t.options.tls;
	struct ts_tls_found found;
	struct test_cert bob = test_cert_make("bob", NULL, &ca, 10), namesake = test_cert_make("our CA", NULL, NULL, 10);
	int64_t now_ns = INT64_C(1000000000) * (int64_t)time(NULL);
	struct ts_error err;

	(void)state;
	assert_int_equal(ts_tls_check(&files, now_ns, &found, &err), TS_OK);
	assert_string_equal(found.crl, "");
	files.crl = crl_path;
	assert_int_equal(ts_tls_check(&files, now_ns, &found, &err), TS_NOT_FOUND);
	assert_non_null(strstr(err.text, "tls-crl"));
	test_cert_write(&ca, crl_path, NULL);
	assert_int_equal(ts_tls_check(&files, now_ns, &found, &err), TS_INVALID);
	assert_non_null(strstr(err.text, crl_path));
	test_cert_revoke(&other_ca, NULL, 86400, crl_path);
	assert_int_equal(ts_tls_check(&files, now_ns, &found, &err), TS_INVALID);
	assert_non_null(strstr(err.text, "has no list that the CA CN=our CA signed"));
	test_cert_revoke(&namesake, NULL, 86400, crl_path); /* it has the name, and not the key */
	assert_int_equal(ts_tls_check(&files, now_ns, &found, &err), TS_INVALID);
	assert_non_null(strstr(err.text, "has no list that the CA CN=our CA signed"));
	test_cert_revoke(&ca, &bob, 3 * 86400 + 60, crl_path);
	assert_int_equal(ts_tls_check(&files, now_ns, &found, &err), TS_OK);
	assert_non_null(strstr(found.crl, "lists 1; revoked certificates 1; that of CN=our CA expires first"));
	assert_non_null(strstr(found.crl, "(3 days)"));
	test_cert_revoke(&ca, &bob, -60, crl_path);
	assert_int_equal(ts_tls_check(&files, now_ns, &found, &err), TS_INVALID);
	assert_non_null(strstr(err.text, "the list of CN=our CA expired at"));
	test_cert_free(&bob);
	test_cert_free(&namesake);
}

static void what_is_wrong_with_the_files_is_said(void **state)
{
	struct test_cert expired = test_cert_make("server", NULL, &ca, -1);
	struct ts_tls_files files = t.options.tls;
	struct ts_tls_found found;
	struct ts_error err;
	int64_t now_ns = INT64_C(1000000000) * (int64_t)time(NULL);

	(void)state;
	assert_int_equal(ts_tls_check(&files, now_ns, &found, &err), TS_OK);
	assert_non_null(strstr(found.cert, "CN=server"));
	assert_non_null(strstr(found.cert, "(9 days)"));
	assert_non_null(strstr(found.clients, "may show a certificate that one of 1 in"));
	files.cert = "/nonexistent/cert";
	assert_int_equal(ts_tls_check(&files, now_ns, &found, &err), TS_NOT_FOUND);
	assert_non_null(strstr(err.text, "tls-cert /nonexistent/cert"));
	files.cert = cert_path;
	files.client_ca = key_path;
	assert_int_equal(ts_tls_check(&files, now_ns, &found, &err), TS_INVALID);
	assert_non_null(strstr(err.text, "tls-client-ca"));
	files.client_ca = ca_path;
	test_cert_write(&expired, cert_path, key_path);
	assert_int_equal(ts_tls_check(&files, now_ns, &found, &err), TS_INVALID);
	assert_non_null(strstr(err.text, "expired"));
	test_cert_free(&expired);
}

/* ---- bytes ---- */

static void much_goes_both_ways(void **state)
{
	enum { MESSAGES = 24 };
	static const uint32_t request[2] = {MESSAGES, 1 << 20};
	static uint8_t message[5 + (1 << 20)] = {0, 0, 0x10, 0, 0};
	struct client *c;
	char text[256];

	(void)state;
	testing_start(&t);
	c = connect_as(&(struct hello){.cert = NULL});
	assert_true(greet(c) && begin_call(c, 1, "Sum"));
	for (size_t sent = 0; sent < MESSAGES * sizeof message;) {
		size_t at = sent % sizeof message, n = sizeof message - at;
		struct ts_frame frame;
		const uint8_t *payload;
		int64_t window = c->windows[0] < c->windows[1] ? c->windows[0] : c->windows[1];

		if (window <= 0) {
			assert_true(next_frame(c, &frame, &payload));
			attend(c, &frame, payload);
			continue;
		}
		n = n > 16384 ? 16384 : n;
		n = (int64_t)n > window ? (size_t)window : n;
		assert_true(send_frame(c, TS_FRAME_DATA, 0, 1, message + at, n));
		c->windows[0] -= (int64_t)n;
		c->windows[1] -= (int64_t)n;
		sent += n;
	}
	assert_true(send_frame(c, TS_FRAME_DATA, TS_FRAME_END_STREAM, 1, NULL, 0));
	assert_int_equal(reply(c, 1, text, 0), 5 + 11);
	assert_string_equal(text + 5, "24 25165824");
	/* The server waits for a client that pauses. */
	assert_true(call(c, 3, "Count", request, sizeof request));
	assert_int_equal(reply(c, 3, text, 1), MESSAGES * (5 + (1 << 20)));
	hang_up(c);
}

/* ---- floods ---- */

/* Reads until the connection ends, or until nothing comes: whether it is still there. */
static bool stays(struct client *c)
{
	struct ts_frame frame;
	const uint8_t *payload;

	errno = 0;
	while (next_frame(c, &frame, &payload))
		;
	return errno == EAGAIN;
}

static bool reset_often(struct client *c)
{
	static const uint8_t cancel[4] = {0, 0, 0, 8};

	if (!greet(c))
		return false;
	for (uint32_t i = 0; i < 20000; i++)
		if (!begin_call(c, 2 * i + 1, "Echo") || !send_frame(c, TS_FRAME_RST_STREAM, 0, 2 * i + 1, cancel, sizeof cancel))
			return false;
	return stays(c);
}

static bool change_keys_often(struct client *c)
{
	if (!greet(c))
		return false;
	for (int i = 0; i < 20000; i++)
		if (SSL_key_update(c->ssl, SSL_KEY_UPDATE_NOT_REQUESTED) != 1 || SSL_do_handshake(c->ssl) != 1)
			return false;
	return stays(c);
}

static void a_certificate_allows_no_flood(void **state)
{
	struct test_cert eve = test_cert_make("eve", NULL, &ca, 10);
	struct hello hello = {.cert = &eve};
	struct ts_guard_counts counts;
	struct client *c;
	char text[256];

	(void)state;
	testing_start(&t);
	ts_server_connections(t.server, &counts);
	assert_int_equal(counts.resets, 0);
	c = connect_as(&hello);
	assert_false(reset_often(c));
	ts_server_connections(t.server, &counts);
	assert_true(counts.resets > 500); /* what a peer may have at once */
	assert_int_equal(counts.ended[TS_CUTOFF_RESETS], 1);
	hang_up(c);
	c = connect_as(&hello);
	assert_false(change_keys_often(c));
	hang_up(c);
	/* Her resets are spent, and another's are not. */
	c = connect_as(&hello);
	assert_string_equal(who(c, 1, text), "cert:CN=eve");
	assert_false(reset_often(c));
	hang_up(c);
	is_known_as(&(struct hello){.cert = NULL}, "127.0.0.1:");
	test_cert_free(&eve);
}

static void half_a_handshake_keeps_nobody_waiting(void **state)
{
	enum { SILENT = 50 };
	int fds[SILENT];

	(void)state;
	testing_start(&t);
	for (int i = 0; i < SILENT; i++) {
		fds[i] = dial();
		if (i % 2)
			assert_int_equal(send(fds[i], "\x16\x03\x01\x02", 4, MSG_NOSIGNAL), 4);
	}
	for (int i = 0; i < 20; i++)
		is_known_as(&(struct hello){.cert = NULL}, "127.0.0.1:");
	for (int i = 0; i < SILENT; i++)
		close(fds[i]);
}

static void one_certificate_leaves_room_for_others(void **state)
{
	enum { MOST = 3 };
	struct test_cert eve = test_cert_make("eve", NULL, &ca, 10), ada = test_cert_make("ada", NULL, &ca, 10);
	struct client *all[MOST], *more;
	char text[256];

	(void)state;
	t.options.max_connections = 16;
	t.options.peer_connections = MOST;
	testing_start(&t);
	for (int i = 0; i < MOST; i++) {
		all[i] = connect_as(&(struct hello){.cert = &eve});
		assert_string_equal(who(all[i], 1, text), "cert:CN=eve");
	}
	more = connect_as(&(struct hello){.cert = &eve});
	assert_string_equal(who(more, 1, text), "nobody");
	hang_up(more);
	is_known_as(&(struct hello){.cert = &ada}, "cert:CN=ada");
	for (int i = 0; i < MOST; i++)
		hang_up(all[i]);
	test_cert_free(&eve);
	test_cert_free(&ada);
}

/* ---- several servers, and C-core as the client ---- */

enum { CHANNELS = 16 }; /* each chooses one of the two servers, so none of them chooses the one that ends once in 65536 runs */

static enum ts_status upload_once(struct ts_channel *ch)
{
	struct ts_upload *upload;
	struct ts_arena arena;
	struct ts_span reply;
	struct ts_error err;
	enum ts_status status = ch->ops->upload_open(ch, "Sum", &upload, &err);

	if (status)
		return status;
	ts_arena_init(&arena, 4096);
	status = ch->ops->upload_send(upload, ts_span_str("abc"), &err);
	if (status)
		ch->ops->upload_cancel(upload);
	else
		status = ch->ops->upload_finish(upload, &arena, &reply, &err);
	ts_arena_finish(&arena);
	return status;
}

/* What was under way when the server ended may have been done, and is not made again; what comes then goes to the next server. */
static void writes_go_on_when_a_server_ends(void **state)
{
	const struct ts_client_login login = {.ca = ca_path};
	struct ts_channel *channels[CHANNELS];
	char both[128], text[256];
	struct testing other;
	struct ts_error err;

	testing_init(&other);
	other.listeners[1].address = t.listeners[1].address;
	other.options.tls = t.options.tls;
	testing_start(&t);
	testing_start(&other);
	(void)snprintf(both, sizeof both, "%s,%s", testing_tcp(&t), testing_tcp(&other));
	for (int i = 0; i < CHANNELS; i++) {
		if (ts_routed_open(both, &login, &channels[i], &err))
			fail_msg("%s", err.text);
		assert_int_equal(testing_call(channels[i], "Write", ts_span_str("a"), text), TS_OK);
		assert_int_equal(upload_once(channels[i]), TS_OK);
	}
	ts_server_destroy(t.server);
	t.server = NULL;
	for (int i = 0; i < CHANNELS; i++) {
		bool uploads = i % 2;
		enum ts_status status = uploads ? upload_once(channels[i]) :
						  testing_call(channels[i], "Write", ts_span_str("b"), text);

		assert_true(status == TS_OK || status == TS_UNAVAILABLE);
		status = uploads ? upload_once(channels[i]) : testing_call(channels[i], "Write", ts_span_str("c"), text);
		assert_int_equal(status, TS_OK);
		assert_int_equal(upload_once(channels[i]), TS_OK);
		assert_int_equal(testing_call(channels[i], "Write", ts_span_str("d"), text), TS_OK);
		channels[i]->ops->destroy(channels[i]);
	}
	testing_finish(&other);
	(void)state;
}

static int make_certs(void **state)
{
	(void)state;
	(void)signal(SIGPIPE, SIG_IGN); /* of the clients; OpenSSL writes for them */
	ca = test_cert_make("our CA", NULL, NULL, 10);
	other_ca = test_cert_make("another CA", NULL, NULL, 10);
	server_cert = test_cert_make("server", "DNS:localhost,IP:127.0.0.1", &ca, 10);
	return 0;
}

static int free_certs(void **state)
{
	(void)state;
	test_cert_free(&ca);
	test_cert_free(&other_ca);
	test_cert_free(&server_cert);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_certificate_says_who_it_is),
		TEST(names_differ_where_certificates_do),
		TEST(who_has_no_certificate_is_an_address_or_nobody),
		TEST(only_http2_over_tls_that_is_not_old),
		TEST(certificates_change_while_it_runs),
		TEST(a_change_is_noticed_without_a_signal),
		TEST(what_is_wrong_with_the_files_is_said),
		TEST(a_revoked_certificate_is_refused_by_name),
		TEST(a_revoked_certificate_ends_its_connection),
		TEST(a_revoked_authority_ends_what_it_signed),
		TEST(a_list_that_has_expired_lets_nobody_in),
		TEST(a_ticket_ends_with_its_certificate),
		TEST(what_is_wrong_with_the_lists_is_said),
		TEST(much_goes_both_ways),
		TEST(a_certificate_allows_no_flood),
		TEST(half_a_handshake_keeps_nobody_waiting),
		TEST(one_certificate_leaves_room_for_others),
		TEST(writes_go_on_when_a_server_ends),
	};

	return cmocka_run_group_tests(tests, make_certs, free_certs);
}
