#include "_digest.h"

#include <string.h>

enum { ROW = 4096 }; /* words */

static uint64_t finish(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

static uint64_t factor(uint64_t i)
{
	return finish((i + 1) * UINT64_C(0x9E3779B97F4A7C15));
}

/* Adds the words of a row to the sums of the columns, and returns their own sum. The last word may be short: zeros fill it. */
static uint64_t add_row(uint64_t *restrict columns, const uint8_t *restrict at, size_t len)
{
	uint64_t sum = 0, word;
	size_t words = len / 8;

	for (size_t c = 0; c < words; c++) {
		memcpy(&word, at + 8 * c, 8);
		columns[c] += word;
		sum += word;
	}
	if (len % 8) {
		word = 0;
		memcpy(&word, at + 8 * words, len % 8);
		columns[words] += word;
		sum += word;
	}
	return sum;
}

uint64_t tscope_digest_bytes(const void *bytes, size_t len)
{
	uint64_t columns[ROW] = {0}, total = 0, row = 0;
	const uint8_t *at = bytes;

	for (size_t left = len, n; left; left -= n, at += n, row++) {
		n = left < ROW * 8 ? left : ROW * 8;
		total += add_row(columns, at, n) * (factor((UINT64_C(1) << 32) + row) & ~UINT64_C(1));
	}
	for (size_t c = 0; c < ROW; c++)
		total += columns[c] * (factor(c) | 1);
	return finish(total + len * UINT64_C(0x9E3779B97F4A7C15));
}
