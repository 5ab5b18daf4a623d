#include "service/rpc/guard/tls.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/span.h"
#include "service/rpc/guard/records.h"

#include <openssl/err.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>

enum { FILES = 4, TICKET_KEYS = 80, DIGEST = 32, TRUST_MAX = 16 << 20, READ_BUFFER = 64 << 10 };

/* What a file was when it was read: a renewed certificate is another file, or has another time. */
struct stamp {
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec changed;
};

struct ts_tls {
	struct ts_tls_files files;
	pthread_mutex_t mutex;
	SSL_CTX *context;
	struct stamp stamps[FILES];
	uint8_t trust[DIGEST]; /* what is known of clients' certificates: the CA and the lists of revoked ones */
	int64_t expires_ns;    /* the first of these lists that still held then; INT64_MAX = none */
	bool lapsed;	       /* one did not */
	unsigned reloads;
};

bool ts_tls_client_word(const char *word, enum ts_tls_client *ret_client)
{
	static const char *const words[] = {"none", "optional", "required"};

	for (unsigned i = 0; i < sizeof words / sizeof words[0]; i++) {
		if (strcmp(word, words[i]) == 0) {
			*ret_client = (enum ts_tls_client)i;
			return true;
		}
	}
	return false;
}

/* ---- a context from files ---- */

static enum ts_status fail(struct ts_error *err, const char *setting, const char *path)
{
	const char *reason = ERR_reason_error_string(ERR_peek_error());
	int errnum = ERR_GET_LIB(ERR_peek_error()) == ERR_LIB_SYS ? ERR_GET_REASON(ERR_peek_error()) : 0;

	ERR_clear_error();
	if (errnum)
		return ts_error_errno(err, errnum, "%s %s", setting, path);
	return ts_error_set(err, TS_INVALID, "%s %s: %s", setting, path, reason ? reason : "not what it should be");
}

static int64_t real_ns(const ASN1_TIME *time)
{
	struct tm tm;

	if (ASN1_TIME_to_tm(time, &tm) != 1)
		return 0;
	return (int64_t)timegm(&tm) * 1000000000;
}

static void print_name(const X509_NAME *name, char *out, size_t cap)
{
	BIO *bio = BIO_new(BIO_s_mem());
	int n = 0;

	if (bio && X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253) >= 0)
		n = BIO_read(bio, out, (int)cap - 1);
	out[n > 0 ? n : 0] = '\0';
	BIO_free(bio);
}

static bool has_crl(const struct ts_tls_files *files)
{
	return files->crl && files->crl[0];
}

static int choose_h2(SSL *ssl, const unsigned char **out, unsigned char *n, const unsigned char *in, unsigned in_n, void *arg)
{
	static const unsigned char h2[] = {2, 'h', '2'};
	unsigned char *found;

	(void)ssl, (void)arg;
	if (SSL_select_next_proto(&found, n, h2, sizeof h2, in, in_n) != OPENSSL_NPN_NEGOTIATED)
		return SSL_TLSEXT_ERR_ALERT_FATAL;
	*out = found;
	return SSL_TLSEXT_ERR_OK;
}

/* Whether the CAs of the server signed a certificate themselves, and it holds. */
static bool verifies_alone(SSL_CTX *context, X509 *cert)
{
	X509_STORE_CTX *judge = X509_STORE_CTX_new();
	bool holds = false;

	if (judge && X509_STORE_CTX_init(judge, SSL_CTX_get_cert_store(context), cert, NULL) == 1)
		holds = X509_verify_cert(judge) == 1;
	X509_STORE_CTX_free(judge);
	ERR_clear_error();
	return holds;
}

/* A session that is resumed is not verified again. Where a list has expired meanwhile it would, in the moment in which the keys of
 * tickets change, be given a ticket that is good with the new ones: it ends here. */
static int allow_ticket(SSL *ssl, void *arg)
{
	struct ts_tls *tls = arg;
	bool expired;

	if (!SSL_SESSION_get0_peer(SSL_get_session(ssl)))
		return 1;
	pthread_mutex_lock(&tls->mutex);
	expired = tls->lapsed || tls->expires_ns <= ts_now_real_ns();
	pthread_mutex_unlock(&tls->mutex);
	return !expired;
}

/* A ticket holds the client's certificate and none between it and its CA, so nobody could find later that one of these was revoked:
 * whoever has such certificates shows them again. Where there are no lists, nothing is revoked. */
static SSL_TICKET_RETURN take_ticket(SSL *ssl, SSL_SESSION *session, const unsigned char *name, size_t name_len,
				     SSL_TICKET_STATUS status, void *arg)
{
	struct ts_tls *tls = arg;
	bool opened = status == SSL_TICKET_SUCCESS || status == SSL_TICKET_SUCCESS_RENEW;
	X509 *cert = opened ? SSL_SESSION_get0_peer(session) : NULL;

	(void)name, (void)name_len;
	if (!opened || (cert && has_crl(&tls->files) && !verifies_alone(SSL_get_SSL_CTX(ssl), cert)))
		return SSL_TICKET_RETURN_IGNORE_RENEW;
	return status == SSL_TICKET_SUCCESS ? SSL_TICKET_RETURN_USE : SSL_TICKET_RETURN_USE_RENEW;
}

/* OpenSSL would ask the terminal. */
static int no_password(char *out, int size, int writing, void *arg)
{
	(void)out, (void)size, (void)writing, (void)arg;
	return -1;
}

static void set_up(SSL_CTX *context)
{
	static const unsigned char name[] = "tscoped";

	(void)SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
	(void)SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20"); /* of TLS 1.2 */
	(void)SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
	(void)SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
	(void)SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
	(void)SSL_CTX_set_session_id_context(context, name, sizeof name - 1);
	(void)SSL_CTX_set_num_tickets(context, 1);
	SSL_CTX_set_default_read_buffer_len(context, READ_BUFFER);
	SSL_CTX_set_alpn_select_cb(context, choose_h2, NULL);
	SSL_CTX_set_default_passwd_cb(context, no_password);
}

static enum ts_status load_own(SSL_CTX *context, const struct ts_tls_files *files, struct ts_error *err)
{
	if (SSL_CTX_use_certificate_chain_file(context, files->cert) != 1)
		return fail(err, "tls-cert", files->cert);
	if (SSL_CTX_use_PrivateKey_file(context, files->key, SSL_FILETYPE_PEM) != 1) {
		if (ERR_GET_REASON(ERR_peek_last_error()) != X509_R_KEY_VALUES_MISMATCH)
			return fail(err, "tls-key", files->key);
		ERR_clear_error();
		return ts_error_set(err, TS_INVALID, "tls-key %s is not the key of the certificate in tls-cert %s", files->key,
				    files->cert);
	}
	return TS_OK;
}

static enum ts_status load_client_ca(SSL_CTX *context, const struct ts_tls_files *files, struct ts_error *err)
{
	STACK_OF(X509_NAME) *names;

	if (files->client == TS_TLS_CLIENT_NONE)
		return TS_OK;
	if (SSL_CTX_load_verify_file(context, files->client_ca) != 1)
		return fail(err, "tls-client-ca", files->client_ca);
	names = SSL_load_client_CA_file(files->client_ca);
	if (!names)
		return fail(err, "tls-client-ca", files->client_ca);
	SSL_CTX_set_client_CA_list(context, names);
	SSL_CTX_set_verify(context,
			   SSL_VERIFY_PEER | (files->client == TS_TLS_CLIENT_REQUIRED ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), NULL);
	return TS_OK;
}

static bool has_list(STACK_OF(X509_OBJECT) *all, X509 *ca)
{
	for (int i = 0; i < sk_X509_OBJECT_num(all); i++) {
		X509_CRL *list = X509_OBJECT_get0_X509_CRL(sk_X509_OBJECT_value(all, i));

		if (list && X509_NAME_cmp(X509_CRL_get_issuer(list), X509_get_subject_name(ca)) == 0 &&
		    X509_CRL_verify(list, X509_get0_pubkey(ca)) == 1)
			return true;
	}
	return false;
}

/* A client whose CA has no list would be refused, and nobody would know why: so this is said before one comes. */
static enum ts_status check_lists(X509_STORE *store, const char *path, struct ts_error *err)
{
	STACK_OF(X509_OBJECT) *all = X509_STORE_get0_objects(store);
	char subject[256];

	for (int i = 0; i < sk_X509_OBJECT_num(all); i++) {
		X509 *ca = X509_OBJECT_get0_X509(sk_X509_OBJECT_value(all, i));

		if (!ca || has_list(all, ca))
			continue;
		ERR_clear_error();
		print_name(X509_get_subject_name(ca), subject, sizeof subject);
		return ts_error_set(err, TS_INVALID, "tls-crl %s has no list that the CA %s signed", path, subject);
	}
	return TS_OK;
}

static enum ts_status load_lists(SSL_CTX *context, const struct ts_tls_files *files, struct ts_error *err)
{
	X509_STORE *store = SSL_CTX_get_cert_store(context);
	X509_LOOKUP *lookup;

	if (files->client == TS_TLS_CLIENT_NONE || !has_crl(files))
		return TS_OK;
	lookup = X509_STORE_add_lookup(store, X509_LOOKUP_file());
	if (!lookup || X509_load_crl_file(lookup, files->crl, X509_FILETYPE_PEM) < 1)
		return fail(err, "tls-crl", files->crl);
	(void)X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
	return check_lists(store, files->crl, err);
}

struct lists {
	int n, revoked;
	X509_CRL *first;    /* the one that expires first, or did; NULL: none does */
	int64_t first_ns;   /* when; INT64_MAX: never */
	int64_t expires_ns; /* the first that still holds; INT64_MAX: none */
};

static struct lists look_at_lists(SSL_CTX *context, int64_t now_ns)
{
	STACK_OF(X509_OBJECT) *all = X509_STORE_get0_objects(SSL_CTX_get_cert_store(context));
	struct lists found = {.first_ns = INT64_MAX, .expires_ns = INT64_MAX};

	for (int i = 0; i < sk_X509_OBJECT_num(all); i++) {
		X509_CRL *list = X509_OBJECT_get0_X509_CRL(sk_X509_OBJECT_value(all, i));
		int64_t until_ns = list && X509_CRL_get0_nextUpdate(list) ? real_ns(X509_CRL_get0_nextUpdate(list)) : INT64_MAX;
		int revoked = list ? sk_X509_REVOKED_num(X509_CRL_get_REVOKED(list)) : 0;

		found.n += list != NULL;
		found.revoked += revoked > 0 ? revoked : 0;
		if (until_ns < found.first_ns) {
			found.first = list;
			found.first_ns = until_ns;
		}
		if (until_ns > now_ns && until_ns < found.expires_ns)
			found.expires_ns = until_ns;
	}
	return found;
}

static enum ts_status load(const struct ts_tls_files *files, SSL_CTX **ret_context, struct ts_error *err)
{
	SSL_CTX *context = SSL_CTX_new(TLS_server_method());

	ERR_clear_error();
	if (!context)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for TLS");
	set_up(context);
	if (load_own(context, files, err) || load_client_ca(context, files, err) || load_lists(context, files, err)) {
		SSL_CTX_free(context);
		return err->status;
	}
	*ret_context = context;
	return TS_OK;
}

/* ---- files that change ---- */

static struct stamp stamp_of(const char *path)
{
	struct stat st;

	if (!path || stat(path, &st) != 0)
		return (struct stamp){.ino = 0};
	return (struct stamp){.dev = st.st_dev, .ino = st.st_ino, .size = st.st_size, .changed = st.st_mtim};
}

static void stamp_all(const struct ts_tls_files *files, struct stamp out[FILES])
{
	out[0] = stamp_of(files->cert);
	out[1] = stamp_of(files->key);
	out[2] = files->client ? stamp_of(files->client_ca) : (struct stamp){.ino = 0};
	out[3] = files->client && has_crl(files) ? stamp_of(files->crl) : (struct stamp){.ino = 0};
}

static bool same_stamp(const struct stamp *a, const struct stamp *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size && a->changed.tv_sec == b->changed.tv_sec &&
	       a->changed.tv_nsec == b->changed.tv_nsec;
}

bool ts_tls_changed(struct ts_tls *tls)
{
	struct stamp now[FILES];
	bool same;

	stamp_all(&tls->files, now);
	pthread_mutex_lock(&tls->mutex);
	same = tls->expires_ns > ts_now_real_ns();
	for (int i = 0; i < FILES; i++)
		same &= same_stamp(&now[i], &tls->stamps[i]);
	pthread_mutex_unlock(&tls->mutex);
	return !same;
}

static bool digest_file(EVP_MD_CTX *digest, const char *path)
{
	struct ts_buf bytes = TS_BUF_INIT(TRUST_MAX);
	struct ts_error err;
	bool fine = !ts_file_read(path, &bytes, &err) && EVP_DigestUpdate(digest, bytes.data, bytes.len) == 1;

	ts_buf_finish(&bytes);
	return fine;
}

/* Differs when a certificate that was verified by one need not be good for the other. False: it is not known. */
static bool digest_trust(const struct ts_tls_files *files, uint8_t out[DIGEST])
{
	EVP_MD_CTX *digest = EVP_MD_CTX_new();
	bool fine = digest && EVP_DigestInit_ex(digest, EVP_sha256(), NULL) == 1;

	if (fine && files->client)
		fine = digest_file(digest, files->client_ca) && (!has_crl(files) || digest_file(digest, files->crl));
	fine = fine && EVP_DigestFinal_ex(digest, out, NULL) == 1;
	EVP_MD_CTX_free(digest);
	return fine;
}

static void keep_ticket_keys(SSL_CTX *from, SSL_CTX *to)
{
	unsigned char keys[TICKET_KEYS];

	if (SSL_CTX_get_tlsext_ticket_keys(from, keys, sizeof keys) == 1)
		(void)SSL_CTX_set_tlsext_ticket_keys(to, keys, sizeof keys);
	OPENSSL_cleanse(keys, sizeof keys);
}

static void change_ticket_keys(SSL_CTX *context)
{
	unsigned char keys[TICKET_KEYS];

	if (RAND_bytes(keys, sizeof keys) != 1 || SSL_CTX_set_tlsext_ticket_keys(context, keys, sizeof keys) != 1)
		(void)SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
	OPENSSL_cleanse(keys, sizeof keys);
}

/* The caller holds the mutex. */
static void replace(struct ts_tls *tls, SSL_CTX *context)
{
	uint8_t trust[DIGEST] = {0};
	bool known = digest_trust(&tls->files, trust);

	if (tls->context && known && memcmp(trust, tls->trust, DIGEST) == 0)
		keep_ticket_keys(tls->context, context);
	SSL_CTX_free(tls->context);
	tls->context = context;
	tls->reloads++;
	memcpy(tls->trust, trust, DIGEST);
}

enum ts_status ts_tls_reload(struct ts_tls *tls, struct ts_error *err)
{
	int64_t now_ns = ts_now_real_ns();
	struct stamp stamps[FILES];
	SSL_CTX *context;
	enum ts_status status;

	/* Before the files are read: a change meanwhile is seen the next time. A failure, too, is tried again when they change. */
	stamp_all(&tls->files, stamps);
	status = load(&tls->files, &context, err);
	pthread_mutex_lock(&tls->mutex);
	memcpy(tls->stamps, stamps, sizeof stamps);
	if (tls->context && tls->expires_ns <= now_ns)
		change_ticket_keys(tls->context);
	if (!status) {
		SSL_CTX_set_session_ticket_cb(context, allow_ticket, take_ticket, tls);
		replace(tls, context);
	}
	if (tls->context) {
		struct lists lists = look_at_lists(tls->context, now_ns);

		tls->expires_ns = lists.expires_ns;
		tls->lapsed = lists.first_ns <= now_ns;
	}
	pthread_mutex_unlock(&tls->mutex);
	return status;
}

unsigned ts_tls_reloads(struct ts_tls *tls)
{
	unsigned n;

	pthread_mutex_lock(&tls->mutex);
	n = tls->reloads;
	pthread_mutex_unlock(&tls->mutex);
	return n;
}

bool ts_tls_revoked(struct ts_tls *tls, const SSL *ssl)
{
	X509 *cert = ssl ? SSL_get0_peer_certificate(ssl) : NULL;
	X509_STORE_CTX *judge = cert && has_crl(&tls->files) ? X509_STORE_CTX_new() : NULL;
	SSL_CTX *context;
	bool revoked = false;

	if (!judge)
		return false;
	pthread_mutex_lock(&tls->mutex);
	context = tls->context;
	(void)SSL_CTX_up_ref(context);
	pthread_mutex_unlock(&tls->mutex);
	if (X509_STORE_CTX_init(judge, SSL_CTX_get_cert_store(context), cert, SSL_get_peer_cert_chain(ssl)) == 1)
		revoked = X509_verify_cert(judge) != 1 && X509_STORE_CTX_get_error(judge) == X509_V_ERR_CERT_REVOKED;
	X509_STORE_CTX_free(judge);
	SSL_CTX_free(context);
	ERR_clear_error();
	return revoked;
}

/* ---- its life ---- */

enum ts_status ts_tls_create(const struct ts_tls_files *files, struct ts_tls **ret_tls, struct ts_error *err)
{
	struct ts_tls *tls = ts_alloc_array(1, sizeof *tls);

	if (!tls)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for TLS");
	tls->files = *files;
	pthread_mutex_init(&tls->mutex, NULL);
	if (ts_tls_reload(tls, err)) {
		ts_tls_destroy(tls);
		return err->status;
	}
	*ret_tls = tls;
	return TS_OK;
}

void ts_tls_destroy(struct ts_tls *tls)
{
	if (!tls)
		return;
	SSL_CTX_free(tls->context);
	pthread_mutex_destroy(&tls->mutex);
	ts_free(tls);
}

struct ssl_st *ts_tls_session(struct ts_tls *tls, int fd)
{
	SSL *ssl;

	pthread_mutex_lock(&tls->mutex);
	ssl = SSL_new(tls->context);
	pthread_mutex_unlock(&tls->mutex);
	if (ssl && !ts_records_attach(ssl, fd)) {
		SSL_free(ssl);
		return NULL;
	}
	return ssl;
}

/* ---- what is in the files ---- */

static enum ts_status check_own(SSL_CTX *context, const char *path, int64_t now_ns, char out[TS_TLS_TEXT], struct ts_error *err)
{
	X509 *cert = SSL_CTX_get0_certificate(context);
	int64_t until_ns = real_ns(X509_get0_notAfter(cert)), from_ns = real_ns(X509_get0_notBefore(cert));
	char subject[256], until[TS_TIME_TEXT], from[TS_TIME_TEXT];

	print_name(X509_get_subject_name(cert), subject, sizeof subject);
	ts_time_text(until_ns, until);
	ts_time_text(from_ns, from);
	if (until_ns <= now_ns)
		return ts_error_set(err, TS_INVALID, "tls-cert %s: the certificate of %s expired at %s", path, subject, until);
	if (from_ns > now_ns)
		return ts_error_set(err, TS_INVALID, "tls-cert %s: the certificate of %s is not valid before %s", path, subject, from);
	(void)snprintf(out, TS_TLS_TEXT, "%s: of %s, valid until %s (%" PRId64 " days); tls-key is its key", path, subject, until,
		       (until_ns - now_ns) / (INT64_C(86400) * 1000000000));
	return TS_OK;
}

static void check_client_ca(SSL_CTX *context, const struct ts_tls_files *files, char out[TS_TLS_TEXT])
{
	if (files->client == TS_TLS_CLIENT_NONE)
		(void)snprintf(out, TS_TLS_TEXT, "clients show no certificate");
	else
		(void)snprintf(out, TS_TLS_TEXT, "clients %s show a certificate that one of %d in %s signed",
			       files->client == TS_TLS_CLIENT_REQUIRED ? "must" : "may",
			       sk_X509_NAME_num(SSL_CTX_get_client_CA_list(context)), files->client_ca);
}

static enum ts_status check_lists_hold(SSL_CTX *context, const char *path, int64_t now_ns, char out[TS_TLS_TEXT], struct ts_error *err)
{
	struct lists lists = look_at_lists(context, now_ns);
	char issuer[256], until[TS_TIME_TEXT];
	int64_t until_ns;

	out[0] = '\0';
	if (!lists.n)
		return TS_OK;
	if (!lists.first) {
		(void)snprintf(out, TS_TLS_TEXT, "%s: lists %d; revoked certificates %d; none expires", path, lists.n, lists.revoked);
		return TS_OK;
	}
	until_ns = real_ns(X509_CRL_get0_nextUpdate(lists.first));
	ts_time_text(until_ns, until);
	print_name(X509_CRL_get_issuer(lists.first), issuer, sizeof issuer);
	if (until_ns <= now_ns)
		return ts_error_set(err, TS_INVALID, "tls-crl %s: the list of %s expired at %s, so nobody whom it signed is let in",
				    path, issuer, until);
	(void)snprintf(out, TS_TLS_TEXT, "%s: lists %d; revoked certificates %d; that of %s expires first, at %s (%" PRId64 " days)",
		       path, lists.n, lists.revoked, issuer, until, (until_ns - now_ns) / (INT64_C(86400) * 1000000000));
	return TS_OK;
}

enum ts_status ts_tls_check(const struct ts_tls_files *files, int64_t now_real_ns, struct ts_tls_found *ret_found,
			    struct ts_error *err)
{
	SSL_CTX *context;
	enum ts_status status;

	if (load(files, &context, err))
		return err->status;
	status = check_own(context, files->cert, now_real_ns, ret_found->cert, err);
	if (!status)
		status = check_lists_hold(context, files->crl, now_real_ns, ret_found->crl, err);
	if (!status)
		check_client_ca(context, files, ret_found->clients);
	SSL_CTX_free(context);
	return status;
}
