/* score.h - what a column of a run came to: its last, least, largest and mean value, and where.
 *
 *	struct ts_block_score b = ts_block_score_of(payload);
 *	struct ts_scoring s = {0};
 *	ts_scoring_add(&s, &b, keys, first_key)		once for each block, in the order of steps
 *	struct ts_score score = ts_scoring_end(&s);
 *	ts_score_value(&score, direction, stat, &value)
 *
 * Values that are not finite are counted and left out of everything else, so a run that ended in NaN has the last loss that it could
 * still compute, and says how many it could not. A loss of 0 beside a gradient norm that is NaN is none of them either (lost.h). The
 * mean is a compensated sum (Neumaier) over the count: in a block in four parts, by the row modulo 4, and then over the blocks in the
 * order of steps. Of equal values the first step counts.
 * A score is derived from the run and no part of its id.
 */
#ifndef TSCOPE_RUN_SCORE_H
#define TSCOPE_RUN_SCORE_H

#include "base/buf.h"
#include "run/direction.h"

/* A change of what a score says requires a new version: scores of another version count as absent. */
enum { TS_SCORE_VERSION = 2, TS_SCORE_BYTES = 4 * 8 + 5 * 10 };

enum ts_stat {
	TS_STAT_LAST,
	TS_STAT_BEST,
	TS_STAT_MEAN,
	TS_STAT_MIN,
	TS_STAT_MAX,
	TS_STAT_COUNT,
	TS_STAT_LAST_STEP,
	TS_STAT_BEST_STEP,
	TS_STAT_MIN_STEP,
	TS_STAT_MAX_STEP,
	TS_STAT_NONFINITE, /* how many values are NaN or infinite */
	TS_STATS,
};

struct ts_score {
	uint64_t count;	    /* finite values; if 0, all the following is undefined */
	uint64_t nonfinite; /* NaN and infinities */
	double last, min, max, mean;
	int64_t last_step, min_step, max_step;
};

/* What the values of one block came to: a function of its bytes alone. */
struct ts_block_score {
	uint32_t count, nonfinite; /* if count is 0, all the following is undefined */
	uint32_t last_row, min_row, max_row;
	double last, min, max;
	double sum, lost; /* the sum of the values is the sum of both */
};

struct ts_scoring {
	struct ts_score score; /* without the mean */
	double sum, lost;      /* the sum of the values is the sum of both */
};

/* values are little-endian doubles of 8 bytes each, which may lie unaligned. */
struct ts_block_score ts_block_score_of(struct ts_span values);
/* Adds a block. keys are the steps of its rows; NULL: first_key and those that follow without a gap. */
void ts_scoring_add(struct ts_scoring *s, const struct ts_block_score *b, const int64_t *keys, int64_t first_key);
struct ts_score ts_scoring_end(const struct ts_scoring *s);

/* A statistic of a score: a number, or for a count or a step an integer. */
struct ts_score_value {
	bool is_integer;
	int64_t integer;
	double real;
};
/* False: it is not known, because there is no finite value, the sum is too large for a double, or nobody knows which value is the
 * best. */
bool ts_score_value(const struct ts_score *s, enum ts_direction direction, enum ts_stat stat, struct ts_score_value *ret);

/* At most TS_SCORE_BYTES: f64 last, min, max, mean; as LEB128 count, nonfinite, and as zigzag LEB128 last_step, min_step, max_step. */
void ts_score_encode(const struct ts_score *s, struct ts_buf *out);
/* False: these are not the bytes of a score. */
bool ts_score_decode(struct ts_span bytes, struct ts_score *ret_score);

bool ts_stat_is_integer(enum ts_stat stat); /* a count or a step */
/* Cuts a metric, "loss.best", into its series and the statistic. False: the path does not end in the word of a statistic, or it begins
 * with a group of facts. */
bool ts_metric_split(struct ts_span path, struct ts_span *ret_series, enum ts_stat *ret_stat);

#endif
