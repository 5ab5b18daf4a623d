#include "_digest.h"

#include <string.h>

enum { ROW = 4096 }; /* words */

static uint64_t column_factors[ROW];

uint64_t tscope_digest_mix(uint64_t z)
{
	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

static uint64_t factor(uint64_t i)
{
	return tscope_digest_mix((i + 1) * UINT64_C(0x9E3779B97F4A7C15));
}

static uint64_t row_factor(uint64_t row)
{
	return factor((UINT64_C(1) << 32) + row) & ~UINT64_C(1);
}

void tscope_digest_begin(void)
{
	for (uint64_t c = 0; c < ROW; c++)
		column_factors[c] = factor(c) | 1;
}

static uint64_t last_word(const uint8_t *at, size_t len)
{
	uint64_t word = 0;

	memcpy(&word, at, len);
	return word;
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
		word = last_word(at + 8 * words, len % 8);
		columns[words] += word;
		sum += word;
	}
	return sum;
}

/* Of a single row, which most tensors are: no sums of columns. */
static uint64_t of_row(const uint8_t *at, size_t len)
{
	uint64_t total = 0, row = row_factor(0), word;
	size_t words = len / 8;

	for (size_t c = 0; c < words; c++) {
		memcpy(&word, at + 8 * c, 8);
		total += word * (column_factors[c] + row);
	}
	return len % 8 ? total + last_word(at + 8 * words, len % 8) * (column_factors[words] + row) : total;
}

static uint64_t of_rows(const uint8_t *at, size_t len)
{
	uint64_t columns[ROW] = {0}, total = 0, row = 0;

	for (size_t left = len, n; left; left -= n, at += n, row++) {
		n = left < ROW * 8 ? left : ROW * 8;
		total += add_row(columns, at, n) * row_factor(row);
	}
	for (size_t c = 0; c < ROW; c++)
		total += columns[c] * column_factors[c];
	return total;
}

uint64_t tscope_digest_bytes(const void *bytes, size_t len)
{
	uint64_t total = len <= ROW * 8 ? of_row(bytes, len) : of_rows(bytes, len);

	return tscope_digest_mix(total + len * UINT64_C(0x9E3779B97F4A7C15));
}

bool tscope_is_zero(const void *bytes, size_t len, size_t size)
{
	uint64_t sign = size == 2 ? UINT64_C(0x8000800080008000) : size == 4 ? UINT64_C(0x8000000080000000) : UINT64_C(1) << 63;
	const uint8_t *at = bytes;
	uint64_t word;

	for (; len >= 8; len -= 8, at += 8) {
		memcpy(&word, at, 8);
		if (word & ~sign)
			return false;
	}
	return !(last_word(at, len) & ~sign);
}
