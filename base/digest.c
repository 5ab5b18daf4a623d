#include "base/digest.h"

#include "base/alloc.h"
#include "base/text.h"

/* SHA256_Init and its like are called old, but ask no provider for SHA-256, a search that takes a seventh of a small command. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/sha.h>

/* OpenSSL is started without the machine's openssl.cnf: reading it would take a third of a command's millisecond. */
enum ts_status ts_digest_init(struct ts_error *err)
{
	if (OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL) != 1)
		return ts_error_set(err, TS_UNSUPPORTED, "OpenSSL does not start");
	return TS_OK;
}

enum ts_status ts_hasher_init(struct ts_hasher *hasher, struct ts_error *err)
{
	hasher->context = ts_alloc(sizeof(SHA256_CTX));
	return hasher->context ? TS_OK : ts_error_set(err, TS_NO_MEMORY, "out of memory for SHA-256");
}

void ts_hasher_finish(struct ts_hasher *hasher)
{
	ts_free(hasher->context);
	hasher->context = NULL;
}

/* SHA256_* fail only where they are given no context. */
void ts_hasher_start(struct ts_hasher *hasher)
{
	(void)SHA256_Init(hasher->context);
}

void ts_hasher_add(struct ts_hasher *hasher, struct ts_span bytes)
{
	if (bytes.len)
		(void)SHA256_Update(hasher->context, bytes.data, bytes.len);
}

void ts_hasher_end(struct ts_hasher *hasher, struct ts_id *ret_id)
{
	(void)SHA256_Final(ret_id->bytes, hasher->context);
}

void ts_digest(struct ts_span bytes, struct ts_id *ret_id)
{
	SHA256_CTX context;
	struct ts_hasher hasher = {.context = &context};

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
