/* The integer nearest to a double v, |v| <= 2^51, is found by adding 1.5 * 2^52: the sum has no fraction bits left, and its
 * low bits are the integer. That is exact, needs no conversion instruction, and is done several rows at a time.
 */
#include "store/decimal.h"

#include "base/number.h"

#include <string.h>

static const double power[TS_DECIMALS_MAX + 1] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
static const double magic = 6755399441055744.0; /* 1.5 * 2^52 */
static const uint64_t magic_bits = 0x4338000000000000u;
static const double most = 2251799813685248.0; /* 2^51 */

enum { TILE = 512, SAMPLE = 128 };

/* Returns a value other than 0 when the word is no decimal of this scale. */
static inline uint64_t to_integer(uint64_t word, double scale, uint64_t *ret)
{
	double x = ts_bits_double(word);
	double v = x * scale;
	double sum = v + magic;
	double nearest = sum - magic;

	*ret = ts_double_bits(sum) - magic_bits;
	return (ts_double_bits(nearest / scale) ^ word) | (uint64_t) !(v >= -most && v <= most);
}

static bool try_all(const uint64_t *words, size_t n, double scale, uint64_t *ret)
{
	for (size_t at = 0; at < n; at += TILE) {
		size_t end = n - at < TILE ? n : at + TILE;
		uint64_t bad = 0;

		for (size_t i = at; i < end; i++)
			bad |= to_integer(words[i], scale, &ret[i]);
		if (bad)
			return false;
	}
	return true;
}

static bool try_sample(const uint64_t *words, size_t n, double scale)
{
	size_t stride = n / SAMPLE + 1;
	uint64_t k;

	for (size_t i = 0; i < n; i += stride)
		if (to_integer(words[i], scale, &k))
			return false;
	return true;
}

int ts_decimal_find(const uint64_t *words, size_t n, uint64_t *ret)
{
	for (int p = 0; p <= TS_DECIMALS_MAX; p++)
		if (try_sample(words, n, power[p]) && try_all(words, n, power[p], ret))
			return p;
	return -1;
}

bool ts_decimal_restore(uint64_t *words, size_t n, int p)
{
	const uint64_t half = (uint64_t)1 << 51;
	double scale = power[p];
	uint64_t bad = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t k = words[i];

		bad |= (uint64_t)(k + half > 2 * half);
		words[i] = ts_double_bits((ts_bits_double(k + magic_bits) - magic) / scale);
	}
	return bad == 0;
}
