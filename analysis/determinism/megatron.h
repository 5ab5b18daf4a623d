/* megatron.h - whether two records of a series are alike for the functional tests of Megatron-LM.
 *
 *	ts_megatron_of(&golden, seen, what, exact, &answer)
 *
 * Both are rounded to 5 decimals. A step that has no value is like one that has none, and like no other. Only steps that the golden
 * record names are looked at. Exactly: all of them are equal. Approximately: |seen - golden| is at most 5 % of |golden|, of "num-zeros"
 * 20 %, but for one step in a hundred, at least one and at most 50, where there is more than one: of as many steps as the golden
 * record says by its first one, its last one and its interval, which are not its values (1, 5, 10 to 995 are 199.8). Times and memory
 * are compared approximately in both ways; of "iteration-time" the median of steps 5 to 20 alone, or of 30 to 45 where the golden
 * record goes beyond step 25, or of the first four behind their begin where it has none of them.
 * Source: tests/functional_tests/python_test_utils of Megatron-LM at commit d98e8a64ddf3 (2026-08-22), common.py and
 * test_pretraining_regular_pipeline.py. Pure. Threads: safe.
 */
#ifndef TSCOPE_ANALYSIS_DETERMINISM_MEGATRON_H
#define TSCOPE_ANALYSIS_DETERMINISM_MEGATRON_H

#include "analysis/determinism/golden.h"

/* Of what a series is: the rules go by its name. */
enum ts_megatron_what { TS_MEGATRON_NUMBER, TS_MEGATRON_TIME, TS_MEGATRON_MEMORY, TS_MEGATRON_ZEROS };

struct ts_megatron {
	bool alike;
	uint64_t points; /* that were compared; 0: there is none to compare */
	uint64_t others; /* of them, that differ: where alike, so many are let pass */
	int64_t step;	 /* of the first of them, with its values; NaN: it has none */
	double golden, seen; /* of times the medians */
};

/* A series without a value has none at any step. */
void ts_megatron_of(const struct ts_golden_series *golden, const struct ts_golden_series *seen, enum ts_megatron_what what,
		    bool exact, struct ts_megatron *ret);

#endif
