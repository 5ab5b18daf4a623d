/* _sha256.c - what base/digest.h promises of a hasher, with libc alone: the package is linked with no OpenSSL.
 *
 * It hashes what has not been committed, once a run. Source: FIPS 180-4.
 */
#include "base/digest.h"

#include "base/alloc.h"

enum { BLOCK = 64 };

struct state {
	uint32_t h[8];
	uint64_t len; /* bytes so far */
	uint8_t block[BLOCK];
};

static const uint32_t begin[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static const uint32_t k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turned(uint32_t x, unsigned bits)
{
	return x >> bits | x << (32 - bits);
}

static void schedule(const uint8_t *block, uint32_t w[64])
{
	for (size_t i = 0; i < 16; i++, block += 4)
		w[i] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 | block[3];
	for (size_t i = 16; i < 64; i++) {
		uint32_t a = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ w[i - 15] >> 3;
		uint32_t b = turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ w[i - 2] >> 10;

		w[i] = w[i - 16] + a + w[i - 7] + b;
	}
}

static void take_block(struct state *s, const uint8_t *block)
{
	uint32_t w[64], v[8];

	schedule(block, w);
	memcpy(v, s->h, sizeof v);
	for (size_t i = 0; i < 64; i++) {
		uint32_t t = v[7] + (turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) + k[i] +
			     w[i];
		uint32_t u = (turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof *v);
		v[4] += t;
		v[0] = t + u;
	}
	for (size_t i = 0; i < 8; i++)
		s->h[i] += v[i];
}

enum ts_status ts_hasher_init(struct ts_hasher *hasher, struct ts_error *err)
{
	hasher->context = ts_alloc(sizeof(struct state));
	return hasher->context ? TS_OK : ts_error_set(err, TS_NO_MEMORY, "out of memory for a digest");
}

void ts_hasher_finish(struct ts_hasher *hasher)
{
	ts_free(hasher->context);
	hasher->context = NULL;
}

void ts_hasher_start(struct ts_hasher *hasher)
{
	struct state *s = hasher->context;

	memcpy(s->h, begin, sizeof s->h);
	s->len = 0;
}

void ts_hasher_add(struct ts_hasher *hasher, struct ts_span bytes)
{
	struct state *s = hasher->context;
	const uint8_t *at = bytes.data;

	for (size_t left = bytes.len, n; left; left -= n, at += n) {
		size_t used = (size_t)(s->len % BLOCK);

		n = left < BLOCK - used ? left : BLOCK - used;
		memcpy(s->block + used, at, n);
		s->len += n;
		if (used + n == BLOCK)
			take_block(s, s->block);
	}
}

void ts_hasher_end(struct ts_hasher *hasher, struct ts_id *ret_id)
{
	static const uint8_t fill[BLOCK] = {0x80};
	struct state *s = hasher->context;
	uint64_t bits = s->len * 8;
	size_t used = (size_t)(s->len % BLOCK);
	uint8_t length[8];

	for (size_t i = 0; i < 8; i++)
		length[i] = (uint8_t)(bits >> (56 - 8 * i));
	ts_hasher_add(hasher, ts_span_of(fill, (used < 56 ? 56 : 120) - used));
	ts_hasher_add(hasher, ts_span_of(length, sizeof length));
	for (size_t i = 0; i < 32; i++)
		ret_id->bytes[i] = (uint8_t)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

char *ts_id_hex(const struct ts_id *id, char *out)
{
	for (size_t i = 0; i < TS_ID_BYTES; i++) {
		out[2 * i] = "0123456789abcdef"[id->bytes[i] >> 4];
		out[2 * i + 1] = "0123456789abcdef"[id->bytes[i] & 15];
	}
	out[TS_ID_HEX] = '\0';
	return out;
}
