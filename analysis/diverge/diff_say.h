/* diff_say.h - the sentence that gives the reason of a verdict: what the two runs first differ in, or why nothing can be decided. */
#ifndef TSCOPE_ANALYSIS_DIVERGE_DIFF_SAY_H
#define TSCOPE_ANALYSIS_DIVERGE_DIFF_SAY_H

#include "analysis/diverge/diff.h"

/* What was counted while the series were compared; not all of it is in the rows. */
struct ts_diff_tally {
	uint64_t trajectory; /* trajectory series, of either side */
	uint64_t trajectory_same;
	uint64_t trajectory_common; /* those with a step that both have */
	uint64_t parts; /* trajectory series that differ at a common step */
	uint64_t common_ranks;
	bool ops_apart; /* some digests of operations are in one run alone */
	uint64_t facts_cut, series_cut; /* rows left out */
};

/* What a verdict rests on. */
enum ts_diff_ground {
	TS_GROUND_SERIES,     /* a trajectory series differs at a common step */
	TS_GROUND_OPERATION,  /* no series does, but an operation does */
	TS_GROUND_TENSOR,     /* neither does, but the sketches of a tensor do */
	TS_GROUND_RANKS,      /* a rank is in one run alone */
	TS_GROUND_NO_RECORD,  /* nothing of the trajectory was recorded */
	TS_GROUND_INCOMPLETE, /* a trajectory series is not at the same steps of both */
	TS_GROUND_ROLE,	      /* a series differs, and it is not known whether it is part of the trajectory */
	TS_GROUND_OPERATIONS_APART, /* only digests of operations were recorded, and some are in one run alone */
	TS_GROUND_SAME,
};

struct ts_diff_basis {
	enum ts_diff_ground ground;
	const struct ts_series_row *row; /* SERIES, INCOMPLETE, ROLE: the series */
	const struct ts_fact_row *fact;	 /* the first fact whose difference was not expected; NULL: none */
	uint64_t facts;			 /* how many there are */
};

/* The sentence has no full stop. Where the two runs are exchanged it changes only in which of them it calls the first. */
enum ts_status ts_diff_say(const struct ts_diff *diff, const struct ts_diff_tally *tally, const struct ts_diff_basis *basis,
			   struct ts_arena *arena, struct ts_span *ret_sentence, struct ts_error *err);

#endif
