#include "store/planes.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "words are copied as they lie in memory: this file wants a little-endian machine"
#endif

static inline void swap(uint64_t *a, uint64_t *b, int shift, uint64_t mask)
{
	uint64_t t = ((*a >> shift) ^ *b) & mask;

	*b ^= t;
	*a ^= t << shift;
}

/* Byte c of word r becomes byte r of word c. Source: Warren, Hacker's Delight, 7-3, on bytes. */
static inline void transpose(uint64_t x[8])
{
	for (int i = 0; i < 4; i++)
		swap(&x[i], &x[i + 4], 32, 0x00000000ffffffffu);
	for (int i = 0; i < 8; i += 4) {
		swap(&x[i], &x[i + 2], 16, 0x0000ffff0000ffffu);
		swap(&x[i + 1], &x[i + 3], 16, 0x0000ffff0000ffffu);
	}
	for (int i = 0; i < 8; i += 2)
		swap(&x[i], &x[i + 1], 8, 0x00ff00ff00ff00ffu);
}

void ts_planes_split(const uint64_t *words, size_t n, uint8_t *planes, int n_planes)
{
	size_t whole = n & ~(size_t)7;

	for (size_t i = 0; i < whole; i += 8) {
		uint64_t x[8];

		memcpy(x, words + i, sizeof x);
		transpose(x);
		for (int j = 0; j < n_planes; j++)
			memcpy(planes + (size_t)j * n + i, &x[j], 8);
	}
	for (size_t i = whole; i < n; i++)
		for (int j = 0; j < n_planes; j++)
			planes[(size_t)j * n + i] = (uint8_t)(words[i] >> (8 * j));
}

void ts_planes_join(const uint8_t *const planes[TS_PLANES], int n_planes, uint64_t *words, size_t n)
{
	size_t whole = n & ~(size_t)7;

	for (size_t i = 0; i < whole; i += 8) {
		uint64_t x[8] = {0};

		for (int j = 0; j < n_planes; j++)
			memcpy(&x[j], planes[j] + i, 8);
		transpose(x);
		memcpy(words + i, x, sizeof x);
	}
	for (size_t i = whole; i < n; i++) {
		uint64_t w = 0;

		for (int j = 0; j < n_planes; j++)
			w |= (uint64_t)planes[j][i] << (8 * j);
		words[i] = w;
	}
}
