/* diff.h - the answer to "from which step do two runs differ": one struct for text, JSON and the exit code. */
#ifndef TSCOPE_ANALYSIS_DIVERGE_DIFF_H
#define TSCOPE_ANALYSIS_DIVERGE_DIFF_H

#include "analysis/answer/diagnosis.h"
#include "analysis/answer/measure.h"
#include "analysis/answer/outcome.h"
#include "analysis/answer/plot.h"
#include "analysis/answer/run_ref.h"
#include "analysis/diverge/event_diff.h"
#include "analysis/diverge/gap.h"
#include "analysis/diverge/op_diff.h"
#include "analysis/diverge/repeats.h"
#include "analysis/diverge/sketch_diff.h"
#include "run/ending.h"
#include "run/fact.h"
#include "run/index.h"
#include "run/role.h"

enum ts_fact_change { TS_FACT_CHANGED, TS_FACT_ONLY_A, TS_FACT_ONLY_B };

struct ts_fact_row {
	enum ts_group group;
	enum ts_fact_change change;
	int32_t rank;	  /* TS_RANK_JOB for the head's facts */
	struct ts_span path;
	const struct ts_fact *a, *b; /* NULL where absent: unknown on that side, not equal */
};

enum ts_series_state {
	TS_SERIES_SAME,	   /* every common step has the same bits and both have the same steps */
	TS_SERIES_PARTS,   /* some common step differs */
	TS_SERIES_EXTENT,  /* common steps agree; one side has steps that the other lacks */
	TS_SERIES_ONLY_A,
	TS_SERIES_ONLY_B,
	TS_SERIES_DISJOINT, /* both have it, no step in common */
};

/* A cell: a number, a digest or text (cut after 512 bytes, followed by an ellipsis). */
struct ts_value {
	enum ts_column_type type;
	double real;
	uint64_t word;
	struct ts_span text;
};

struct ts_series_row {
	struct ts_span name;
	enum ts_column_type type;
	enum ts_role role;
	int32_t rank;
	enum ts_series_state state;
	/* PARTS: where the bits differ first; the place on the axis where runs were aligned by one, as after_step. */
	int64_t first_step;
	int64_t step_a, step_b;	  /* PARTS, by an axis: the steps there */
	bool after_known;	  /* PARTS: last common step before it that agrees */
	int64_t after_step;
	struct ts_value a, b;	  /* PARTS: the values there */
	uint64_t steps_a, steps_b; /* rows of the series */
	bool counted;		  /* common, only_a, only_b are of the whole series; false for PARTS: of what lies before first_step */
	uint64_t common, only_a, only_b;
	/* ONLY_A, ONLY_B: bit t where the other side's rank has type t under this name, so that no cells can be paired. */
	unsigned other_types;
	struct ts_gap gap;	  /* PARTS, of numbers: by how much they differ from that step on */
};

/* As an answer says it. */
struct ts_cut_off {
	struct ts_span name; /* "numeric_jump" */
	double value;	     /* that counted */
	double standard;     /* its default */
};

/* One series that the two runs log under two names, as loss and train/loss. Rows of it have the name of a. */
struct ts_alias_row {
	struct ts_span a, b;
	uint64_t ranks;	 /* that have it so */
	uint64_t common; /* common steps before the first that differs, of the rank that has fewest */
	bool parts;	 /* there is one that differs */
};

enum { TS_DRIFTS_SHOWN = 5 };

/* What of one layer differs first (layer_drift.h). */
struct ts_layer_row {
	struct ts_span layer, what; /* "layers.0.weight", "grad_norm" */
	struct ts_span series;
	int32_t rank;
	bool differs;
	int64_t first_step;    /* whose bits differ */
	bool visible;	       /* somewhere by more than both were written with */
	int64_t visible_step;  /* the first such step */
	double greatest;       /* relative difference, as far as the series was looked at (gap.h) */
	int64_t greatest_step;
	double end;	       /* median of the last tenth; NaN: not known */
};

struct ts_layer_drift {
	struct ts_layer_row *rows; /* of layers that differ visibly */
	size_t n, cap;
	uint64_t layers;  /* of which both runs recorded numbers; 0: none */
	uint64_t visible; /* that differ visibly */
	uint64_t within;  /* whose bits differ, and no more */
	bool cut;	  /* there are more numbers, of higher ranks, than are looked at */
};

struct ts_diff {
	struct ts_run_ref a, b;
	struct ts_ending ending_a, ending_b; /* how each ended */
	struct ts_span axis;	      /* the column that points were paired by; empty = the step */
	enum ts_diff_verdict verdict;
	struct ts_span reason;	      /* diff_say.h: "The two runs first differ at step 5000: ..." */
	struct ts_outcome *outcomes;  /* what the runs came to; n_outcomes = 0: not asked for, or one and the same run */
	size_t n_outcomes;
	struct ts_span machines;      /* in what that of b differed from that of a (machine_compare.h); empty: in nothing known */
	struct ts_fact_row *facts;    /* by group, then path, then rank */
	size_t n_facts;
	uint64_t ignored_facts;	      /* differ as well, and were left out as it was asked */
	struct ts_series_row *series; /* those not SAME: trajectory, unknown, observation; PARTS first by first_step, then name, rank */
	size_t n_series;
	uint64_t n_same;	      /* series in state SAME */
	uint64_t steps_only_a, steps_only_b; /* distinct steps that one side has on a rank of both, and the other lacks there */
	int64_t only_a_first, only_a_last, only_b_first, only_b_last; /* valid if the counts are > 0 */
	uint64_t superseded_a, superseded_b; /* rows, over all ranks, that were left out because a restart executed their step again */
	struct ts_alias_row *aliases;
	size_t n_aliases;
	int32_t *ranks_only_a, *ranks_only_b;
	size_t n_ranks_only_a, n_ranks_only_b;
	struct ts_diagnosis diagnosis;
	struct ts_op_diff ops;	      /* n = 0: no digests of operations, or none differ */
	struct ts_event_diff events;  /* all zero: neither run recorded any on a rank that both have */
	struct ts_sketch_diff sketches; /* recorded: false where no step has any in both runs */
	struct ts_layer_drift layers; /* layers = 0: no numbers of layers in both, or runs were aligned by another axis */
	struct ts_repeats repeats;    /* asked: false where none were named */
	struct ts_cut_off *cut_offs;  /* that a policy set to another value than the default */
	size_t n_cut_offs;
	/* If asked for, of series of numbers that differ, on the rank that differs first: group "around" (that step) or "whole" (run),
	 * subject = series, name = "a", then "b" of the same grid. */
	struct ts_plots plots;
};

const char *ts_fact_change_word(enum ts_fact_change change); /* "changed", "only_a", "only_b" */
const char *ts_series_word(enum ts_series_state state);	     /* "same", "parts", "extent", "only_a", "only_b", "disjoint" */

#endif
