/* samples.h - which samples a step drew, as a recorder packs them (docs/digests.md), and how those of two runs differ.
 *
 * Pure; the caller's arena has what is returned.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_SAMPLES_H
#define TSCOPE_ANALYSIS_DIVERGE_SAMPLES_H

#include "base/arena.h"

enum {
	TS_SAMPLES_WORDS = 16,
	TS_SAMPLES_COUNT = 16, /* bits that say how many samples were drawn */
	TS_SAMPLES_HEAD = 22,  /* and with those that say how many bits a sample has */
	TS_SAMPLES_MAX = 128, /* that are recorded of a step */
	TS_SAMPLES_BITS_MAX = 48, /* of a sample */
};

struct ts_samples {
	uint32_t drawn; /* 65,535: so many, or more */
	uint32_t n;	/* of which the first so many are known */
	uint64_t ids[TS_SAMPLES_MAX];
};

/* False where no recorder packs so: no words, too many, or samples of no or too many bits. */
bool ts_samples_unpack(const uint64_t *words, size_t n_words, struct ts_samples *ret);

/* Returns in a clause how the samples that a step drew in two runs differ, or NULL where those that are known do not, or the arena is
 * full. rank < 0: there is one. */
const char *ts_samples_say(const struct ts_samples *a, const struct ts_samples *b, int64_t step, int64_t rank, struct ts_arena *arena);

#endif
