/* outcome.h - what two runs came to, side by side: a loss, a time, a rate, and how far the second is from the first. */
#ifndef TSCOPE_ANALYSIS_ANSWER_OUTCOME_H
#define TSCOPE_ANALYSIS_ANSWER_OUTCOME_H

#include "analysis/answer/measure.h"

struct ts_outcome_side {
	bool known;
	double value;	       /* if known; may be NaN or infinite if that was measured */
	struct ts_span reason; /* if not */
};

struct ts_outcome {
	struct ts_span name;  /* "step_time_mean" */
	struct ts_span title; /* "mean step time" */
	enum ts_unit unit;
	struct ts_outcome_side a, b;
	bool compared;
	double change;	       /* b - a, if compared */
	struct ts_span reason; /* both are known, and yet they are not compared */
	/* Half the width of a 95 % interval of change, as the steps of each run vary. Runs of one code on one machine differ by more
	 * than that: between runs there are other machines, clocks and neighbours, which one run does not show. */
	bool has_noise;
	double noise;
};

#endif
