#include "base/digest.h"

#include "base/text.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static EVP_MD *sha256; /* NULL: OpenSSL has no SHA-256 */
static pthread_key_t own_hasher;
static bool has_key;

static void free_own(void *context)
{
	EVP_MD_CTX_free(context);
}

/* OpenSSL is started without the machine's openssl.cnf: reading it would take a third of a command's millisecond. */
static void fetch(void)
{
	(void)OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
	has_key = pthread_key_create(&own_hasher, free_own) == 0;
	sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
}

enum ts_status ts_digest_init(struct ts_error *err)
{
	(void)pthread_once(&once, fetch);
	if (!has_key)
		return ts_error_set(err, TS_NO_MEMORY, "no thread-local slot for SHA-256");
	return sha256 ? TS_OK : ts_error_set(err, TS_UNSUPPORTED, "OpenSSL offers no SHA-256");
}

enum ts_status ts_hasher_init(struct ts_hasher *hasher, struct ts_error *err)
{
	EVP_MD_CTX *context = EVP_MD_CTX_new();

	if (!context)
		return ts_error_set(err, TS_NO_MEMORY, "out of memory for SHA-256");
	hasher->context = context;
	return TS_OK;
}

void ts_hasher_finish(struct ts_hasher *hasher)
{
	EVP_MD_CTX_free(hasher->context);
	hasher->context = NULL;
}

/* EVP fails on SHA-256 only for lack of memory inside a provider; stopping is better than a wrong id. */
static void must(int ok)
{
	if (ok != 1)
		abort();
}

void ts_hasher_start(struct ts_hasher *hasher)
{
	(void)pthread_once(&once, fetch);
	must(sha256 != NULL && EVP_DigestInit_ex2(hasher->context, sha256, NULL));
}

void ts_hasher_add(struct ts_hasher *hasher, struct ts_span bytes)
{
	if (bytes.len)
		must(EVP_DigestUpdate(hasher->context, bytes.data, bytes.len));
}

void ts_hasher_end(struct ts_hasher *hasher, struct ts_id *ret_id)
{
	unsigned int len = 0;

	must(EVP_DigestFinal_ex(hasher->context, ret_id->bytes, &len));
}

void ts_digest(struct ts_span bytes, struct ts_id *ret_id)
{
	struct ts_hasher hasher;

	(void)pthread_once(&once, fetch);
	must(has_key);
	hasher.context = pthread_getspecific(own_hasher);
	if (!hasher.context) {
		hasher.context = EVP_MD_CTX_new();
		must(hasher.context != NULL);
		must(pthread_setspecific(own_hasher, hasher.context) == 0);
	}
	ts_hasher_start(&hasher);
	ts_hasher_add(&hasher, bytes);
	ts_hasher_end(&hasher, ret_id);
}

char *ts_id_hex(const struct ts_id *id, char *out)
{
	static const char digits[] = "0123456789abcdef";

	for (int i = 0; i < TS_ID_BYTES; i++) {
		out[2 * i] = digits[id->bytes[i] >> 4];
		out[2 * i + 1] = digits[id->bytes[i] & 15];
	}
	out[TS_ID_HEX] = '\0';
	return out;
}

bool ts_id_parse(struct ts_span text, struct ts_id *ret_id)
{
	struct ts_id id;

	if (text.len != TS_ID_HEX || !ts_parse_hex(text, id.bytes))
		return false;
	*ret_id = id;
	return true;
}
