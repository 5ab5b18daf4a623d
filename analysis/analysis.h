/* analysis.h - the answer of `tscope analyze`: one struct for the screen, JSON, HTML and the exit code. */
#ifndef TSCOPE_ANALYSIS_ANALYSIS_H
#define TSCOPE_ANALYSIS_ANALYSIS_H

#include "analysis/answer/event.h"
#include "analysis/answer/finding.h"
#include "analysis/answer/happening.h"
#include "analysis/answer/measure.h"
#include "analysis/answer/plot.h"
#include "analysis/answer/rank_rows.h"
#include "analysis/answer/run_ref.h"
#include "analysis/rules/bound.h"
#include "run/ending.h"

/* The version changes whenever a measure, an event, a plot or a reduction gets another value for the same run: cached answers
 * of another version are not used. */
enum { TS_ANALYSIS_VERSION = 24 };
/* The version and the digest of its answers for the runs of tests/golden and tests/cli. tests/answers prints the line to
 * write here. */
#define TS_ANALYSIS_ANSWERS "24 ac6d7604822f51906c2ae26455b58aac46069ec3f64df762bcdbfab64f55fbc3"

struct ts_analysis {
	struct ts_run_ref run;
	struct ts_ending ending; /* how it ended */
	struct ts_happenings happenings; /* what all its ranks recorded of things that happened at a time */
	int32_t rank;		 /* the rank that timing, memory and loss are about, unless a note says otherwise */
	uint64_t warmup_cut;	 /* number of steps left out at the start */
	struct ts_measures measures;
	struct ts_events events;
	struct ts_plots plots;
	/* Every rank that was looked at, ascending; none if that is the rank above alone. Only the cache has them. */
	struct ts_rank_rows *ranks;
	size_t n_ranks;
	struct ts_bound bound;
	struct ts_findings findings;
	struct ts_span *notes;	 /* sentences: what was chosen, what is not known */
	size_t n_notes;
};

#endif
