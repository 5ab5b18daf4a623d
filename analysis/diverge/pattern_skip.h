/* pattern_skip.h - the steps of one run whose update was skipped, by the factor of mixed precision and by the gradient norm.
 *
 * A gradient scaler multiplies the loss by a factor. Where the gradient overflows it leaves the parameters as they are and lowers
 * the factor; after many steps without that it raises it. So a skipped step has a norm that is no finite number, or a factor that
 * falls, and nothing blew up. Without the factor a norm that is not finite at one record only, between finite ones and with finite
 * losses, is taken for one, too: a training that went on from such a gradient would not come back.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_PATTERN_SKIP_H
#define TSCOPE_ANALYSIS_DIVERGE_PATTERN_SKIP_H

#include "analysis/stats/series.h"

#include <stdbool.h>
#include <stdint.h>

enum { TS_SKIPS_KEPT = 64 };

struct ts_skip {
	int64_t step;
	bool overflowed; /* the gradient norm there is no finite number */
	bool lowered;	 /* the factor falls */
	double from, to; /* the factor before and after; if lowered */
};

struct ts_pattern_skips {
	bool looked;
	uint64_t n; /* all of them; no more than TS_SKIPS_KEPT are kept */
	uint64_t overflowed; /* how many of them by the norm, too */
	int64_t last;	     /* step of the last; if n */
	struct ts_skip kept[TS_SKIPS_KEPT]; /* ascending by step */
};

/* n = 0 in what was not recorded. Keys ascend. */
void ts_pattern_skips_find(const struct ts_series *scale, const struct ts_series *norm, const struct ts_series *loss,
			   struct ts_pattern_skips *ret);
/* The last that was kept at `from` to `to`; NULL: none. */
const struct ts_skip *ts_pattern_skip_in(const struct ts_pattern_skips *skips, int64_t from, int64_t to);

#endif
