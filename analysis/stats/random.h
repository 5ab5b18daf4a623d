/* random.h - seeded random numbers, the same on every machine, for permutation tests and for the noise in tests.
 *
 * The generator is xoshiro256++ seeded by splitmix64 (Blackman and Vigna, "Scrambled linear pseudorandom number generators",
 * 2021). It must not be used for secrets.
 */
#ifndef TSCOPE_ANALYSIS_STATS_RANDOM_H
#define TSCOPE_ANALYSIS_STATS_RANDOM_H

#include <stdint.h>

struct ts_random {
	uint64_t s[4];
};

void ts_random_init(struct ts_random *r, uint64_t seed);
uint64_t ts_random_next(struct ts_random *r);
/* A number from 0 to n-1, unbiased (Lemire 2019); n > 0. */
uint32_t ts_random_below(struct ts_random *r, uint32_t n);
double ts_random_unit(struct ts_random *r); /* [0, 1), 53 bits */
double ts_random_normal(struct ts_random *r); /* mean 0, deviation 1 (Box-Muller, one of the pair) */

#endif
