#include "analysis/stats/random.h"

#include <math.h>

static uint64_t rotate(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

void ts_random_init(struct ts_random *r, uint64_t seed)
{
	for (int i = 0; i < 4; i++) {
		uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

		z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
		r->s[i] = z ^ (z >> 31);
	}
}

uint64_t ts_random_next(struct ts_random *r)
{
	uint64_t *s = r->s, out = rotate(s[0] + s[3], 23) + s[0], t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return out;
}

uint32_t ts_random_below(struct ts_random *r, uint32_t n)
{
	uint64_t m = (ts_random_next(r) >> 32) * n;

	if ((uint32_t)m < n) {
		uint32_t least = -n % n;

		while ((uint32_t)m < least)
			m = (ts_random_next(r) >> 32) * n;
	}
	return (uint32_t)(m >> 32);
}

double ts_random_unit(struct ts_random *r)
{
	return (double)(ts_random_next(r) >> 11) * 0x1p-53;
}

double ts_random_normal(struct ts_random *r)
{
	double u = 1.0 - ts_random_unit(r); /* u lies in (0, 1], so its logarithm is finite */

	return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * ts_random_unit(r));
}
