/* pattern_noise.h - do the losses of two runs still rise and fall together behind the step at which they part?
 *
 * A hard batch has a high loss in both runs, whatever their weights: two runs that read the same batches in the same order have losses
 * whose ups and downs agree long after their weights do not. Runs that read other batches have none in common. So the losses alone tell
 * a setting, the code or a damaged state, which leave the batches as they are, from another order or position of the data.
 *
 * What is compared is how far each loss lies above the mean of its two neighbours, by ranks, over up to TS_NOISE_POINTS records. In
 * independent noise that differs from record to record the correlation is 0, with a variance of 1.94 over the records, because
 * neighbours share values. Losses without such noise (whole data sets in each step), and those whose level repeats, as where tasks take
 * turns, say nothing; nor do fewer than TS_NOISE_LEAST records.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_PATTERN_NOISE_H
#define TSCOPE_ANALYSIS_DIVERGE_PATTERN_NOISE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

enum { TS_NOISE_LEAST = 20, TS_NOISE_POINTS = 1024 };

enum ts_noise_answer {
	TS_NOISE_UNKNOWN = 0,
	TS_NOISE_TOGETHER = 1, /* more than chance gives in one of 10,000 pairs */
	TS_NOISE_APART = 2,    /* less than shared noise gives, and the first differences are as wide as the noise, both up and down */
};

struct ts_pattern_noise {
	enum ts_noise_answer answer;
	double correlation; /* of ranks; if answer is known */
	size_t records;
	bool one_way; /* the first differences are all up, or all down, as where the level changes */
};

/* The losses of n common records in their order, the first of which is the first that differs. Scratch memory is of the arena, which
 * may fail: then the answer is unknown. */
struct ts_pattern_noise ts_pattern_noise_find(const double *a, const double *b, size_t n, struct ts_arena *scratch);

#endif
