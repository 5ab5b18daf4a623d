#include "store/planes.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "words are copied as they lie in memory: this file wants a little-endian machine"
#endif

/* 16 words are 128 bytes, which lie in eight vectors. */
enum { AT_ONCE = 16 };

typedef uint8_t bytes16 __attribute__((vector_size(16)));

/* Deals the bytes of the first four vectors and of the last four in turns, which rotates the seven bits of a byte's place by
 * one to the left. The place of byte b of word w is (w, b), and in planes (b, w): three turns make words of planes, and four
 * make planes of words. */
static inline void deal(const bytes16 x[8], bytes16 ret_y[8])
{
#pragma GCC unroll 4
	for (int i = 0; i < 4; i++) {
		bytes16 a = x[i], b = x[i + 4];

		ret_y[2 * i] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
		ret_y[2 * i + 1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
	}
}

void ts_planes_split(const uint64_t *words, size_t n, uint8_t *planes, int n_planes)
{
	size_t whole = n - n % AT_ONCE;

	for (size_t i = 0; i < whole; i += AT_ONCE) {
		bytes16 x[8], y[8];

		memcpy(x, words + i, sizeof x);
		deal(x, y);
		deal(y, x);
		deal(x, y);
		deal(y, x);
		for (int j = 0; j < n_planes; j++)
			memcpy(planes + (size_t)j * n + i, &x[j], sizeof x[j]);
	}
	for (size_t i = whole; i < n; i++)
		for (int j = 0; j < n_planes; j++)
			planes[(size_t)j * n + i] = (uint8_t)(words[i] >> (8 * j));
}

void ts_planes_join(const uint8_t *const planes[TS_PLANES], int n_planes, uint64_t *words, size_t n)
{
	size_t whole = n - n % AT_ONCE;
	bytes16 x[8], y[8], planes_of[8] = {{0}};

	for (size_t i = 0; i < whole; i += AT_ONCE) {
		for (int j = 0; j < n_planes; j++)
			memcpy(&planes_of[j], planes[j] + i, sizeof planes_of[j]);
		deal(planes_of, x);
		deal(x, y);
		deal(y, x);
		memcpy(words + i, x, sizeof x);
	}
	for (size_t i = whole; i < n; i++) {
		uint64_t w = 0;

		for (int j = 0; j < n_planes; j++)
			w |= (uint64_t)planes[j][i] << (8 * j);
		words[i] = w;
	}
}
