#include "base/digest.h"

#include "base/text.h"

#include <openssl/evp.h>
#include <pthread.h>
#include <stdlib.h>

static EVP_MD *sha256;
static pthread_key_t own_hasher;

static void free_own(void *context)
{
	EVP_MD_CTX_free(context);
}

enum ts_status ts_digest_init(struct ts_error *err)
{
	if (sha256)
		return TS_OK;
	if (pthread_key_create(&own_hasher, free_own) != 0)
		return ts_error_set(err, TS_NO_MEMORY, "no thread-local slot for SHA-256");
	sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
	if (!sha256)
		return ts_error_set(err, TS_UNSUPPORTED, "OpenSSL offers no SHA-256");
	return TS_OK;
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

/* EVP fails on SHA-256 only for lack of memory inside a provider; a wrong id would be worse than a stop. */
static void must(int ok)
{
	if (ok != 1)
		abort();
}

void ts_hasher_start(struct ts_hasher *hasher)
{
	must(EVP_DigestInit_ex2(hasher->context, sha256, NULL));
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
	struct ts_hasher hasher = {.context = pthread_getspecific(own_hasher)};

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
