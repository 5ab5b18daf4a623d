/* sketch_diff.h - which tensor of two runs is the first that lies further apart than rounding goes (docs/sketches.md).
 *
 *	ts_sketch_walk_init(&walk, rounding, perturbation, arena, scratch)
 *	for each step that both runs recorded, ascending, until walk.diff.has_first:
 *		ts_sketch_walk_begin(&walk, step)
 *		ts_sketch_walk_add(&walk, side, &record, err)	side by side, of a side rank by rank ascending, of a rank in order
 *		ts_sketch_walk_end(&walk, err)
 *	ts_sketch_walk_finish(&walk, err)			walk.diff is the answer
 *
 * Tensors are aligned by name, kind and occurrence, never by rank: the shards of one are added up, of whole ones that of the lowest
 * rank counts. So the runs may have different numbers of ranks.
 *
 * Rounding is measured by a third run: once more the recipe of the first, whose input was perturbed by a relative size, or which
 * computed in the precision of the second. With d(x, y) the distance of y from x and u the unit roundoff (the coarsest that a run
 * had so far, in order of execution, because what follows a coarse tensor is no finer):
 *
 *	u_AB     = max(u_A, u_B),  u_AR = max(u_A, u_R, perturbation)
 *	rounding = max(d(A, R) * max(u_AB / u_AR, 1), u_AB)
 *	ratio    = d(A, B) / rounding
 *
 * A tensor is above rounding where its ratio exceeds the limit. Of gradients and updates rounding is at least so large that the limit
 * is reached at TS_SKETCH_KINK * sqrt(1 / elements), and where it was scaled at TS_SKETCH_KINK * sqrt(u_AB): what a ReLU or a
 * maximum decides by comparison flips, and then they jump by more than any scaling says. docs/sketches.md says how limits were
 * chosen.
 * So is an update that is 0 in the second run alone, where d(A, R) is at most TS_SKETCH_MISSING_MOST.
 * Not judged, and counted: tensors of a type whose precision is not known; where rounding would be scaled, those of every step but
 * the first; updates of parameters that are coarser in the second run than in the others; those that rounding alone makes into
 * something else (d(A, R) above TS_SKETCH_NOISE_LEAST, rounding above 1, or 0 in the first run alone), as the gradient of a bias
 * before a normalization; those with another number of elements; those that are not finite in both runs.
 * Without a third run rounding is estimated (sketch_bound.h) where both runs had the same parameters, and the answer says so.
 *
 * Where a module gives what another one gave before (dropout with p = 0, a container), a run has no sketch of its own for it, and that
 * of the other one counts. What a whole group of tensors has in common is named (sketch_group.h).
 * Memory: one step at a time, some 6 KiB for each of its tensors in scratch; and 4 KiB for each gradient of a parameter of the step
 * before.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_SKETCH_DIFF_H
#define TSCOPE_ANALYSIS_DIVERGE_SKETCH_DIFF_H

#include "base/arena.h"
#include "record/sketch.h"
#include "run/builder_dictionary.h"

struct ts_sketch_before;

/* Of a ratio. In float32 and finer another kernel changes much, as sums are kept in the precision of results. In coarser types: where
 * rounding was measured at u_AR >= u_AB, and where it was scaled from a finer precision; one run tells
 * little of the gradients of later steps and of updates, of which AdamW's first are mere signs: their limit is that of scaled
 * ones. Each is at least 1.5 times the greatest of
 * clean pairs that were looked at to choose them (docs/sketches.md). */
#define TS_SKETCH_LIMIT_FINE 25.0
#define TS_SKETCH_LIMIT_OWN 6.0
#define TS_SKETCH_LIMIT_FORWARD 4.0
#define TS_SKETCH_LIMIT_BACKWARD 35.0
#define TS_SKETCH_KINK 4.0
#define TS_SKETCH_NOISE_LEAST 0.1
#define TS_SKETCH_MISSING_MOST 0.5

#define TS_SKETCH_COUNTED UINT64_MAX

enum ts_sketch_side { TS_SKETCH_A, TS_SKETCH_B, TS_SKETCH_R, TS_SKETCH_SIDES };

enum ts_sketch_part {
	TS_SKETCH_FORWARD = 1, /* kind "output" */
	TS_SKETCH_BACKWARD,    /* kind "grad" */
	TS_SKETCH_UPDATE,      /* "param_grad", "update" and every other kind */
	TS_SKETCH_PARTS = TS_SKETCH_UPDATE,
};

enum ts_sketch_state {
	TS_SKETCH_EQUAL = 1, /* the sketches are the same */
	TS_SKETCH_WITHIN,    /* rounding explains the distance */
	TS_SKETCH_ABOVE,     /* it does not */
	TS_SKETCH_UNJUDGED,  /* there is a distance, and nothing to judge it by */
	TS_SKETCH_NOISE,     /* rounding alone makes it something else */
	TS_SKETCH_SIZES,     /* the runs have different numbers of its elements */
	TS_SKETCH_NOT_FINITE, /* in both; where it is so in the second run alone the state is ABOVE */
};

/* What a whole group of tensors has in common where the runs part (sketch_group.h). */
enum ts_sketch_group {
	TS_SKETCH_ALONE, /* nothing that is known */
	TS_SKETCH_GRADIENTS,
	TS_SKETCH_CLIPPED,
	TS_SKETCH_ACCUMULATED,
	TS_SKETCH_UPDATES,
	TS_SKETCH_SETTINGS,
	TS_SKETCH_OUTLIERS,
};

struct ts_sketch_record {
	struct ts_span name, kind;
	struct ts_span dtype;	 /* empty: not said */
	uint64_t occurrence;	 /* TS_SKETCH_COUNTED: as many as records of that name and kind came before on the rank */
	int32_t rank;
	bool shard;
	bool idle;		 /* the module gave its input */
	struct ts_span same;	 /* the module whose output this one gave once more; then there is no sketch */
	const struct tscope_sketch *sketch;
};

struct ts_sketch_row {
	int64_t step;
	uint64_t place; /* in order of execution among the compared ones of the step */
	struct ts_span name, kind;
	uint64_t occurrence;
	enum ts_sketch_part part;
	enum ts_sketch_state state;
	uint64_t count_a, count_b;
	uint64_t nonfinite_a, nonfinite_b;
	double distance; /* NaN where there is none: SIZES, or an element is not finite */
	double rounding; /* NaN where it is not known */
	double ratio;	 /* NaN where one of the two is not known */
	double limit;	 /* NaN where ratio is */
};

enum { TS_SKETCH_ROWS = 8 };

struct ts_sketch_diff {
	bool recorded; /* both runs have sketches of one step */
	bool has_rounding; /* a third run was given */
	bool estimated;	   /* none was: rounding is that of sketch_bound.h, where it is known */
	bool shown;    /* it has sketches of tensors that were compared */
	bool flat;     /* it is equal to the first wherever it was compared, so it shows no rounding */
	double perturbation; /* of its input, relative; 0: not recorded */
	uint64_t steps;	   /* compared; the walk ends with the step of the first */
	uint64_t compared; /* tensors that both have in one step */
	uint64_t only_a, only_b;
	uint64_t equal, within, above, unjudged, noise, sizes, not_finite; /* of those compared */
	uint64_t shards;   /* tensors that were added up from shards of several records in either run */
	bool has_first;
	size_t first;	   /* in rows: the first that is above rounding */
	bool has_step_before;
	int64_t step_before; /* the last step before that of the first in which a tensor was judged */
	uint64_t before;   /* compared in that step before it in order of execution: none is above rounding */
	/* Around the first; without one the greatest of each part, by ratio where it is known, else by distance. */
	struct ts_sketch_row *rows;
	size_t n;
	enum ts_sketch_group group; /* that the first begins */
	double factor;		    /* of the second run's over the first's; NaN where the group has none */
	struct ts_span claim;	    /* what the group shows, and what does that; empty without one */
	struct ts_span why;
	struct ts_span apart;	 /* the first module that does nothing in one run alone, or that one run lacks; empty where none does */
	bool apart_first;	 /* what one run lacks comes before the first that is above rounding: the sentence begins with it */
	struct ts_span sentence; /* what it comes to; empty where nothing was recorded */
};

const char *ts_sketch_part_word(enum ts_sketch_part part);    /* "forward", "backward", "update" */
const char *ts_sketch_state_word(enum ts_sketch_state state); /* "equal", "within", "above", ... */
/* "the output of layers.3.attn", "the gradient of the output of X", "the gradient of the parameter X", "the update of X". */
struct ts_span ts_sketch_says(const struct ts_sketch_row *row, struct ts_arena *arena); /* empty when the arena is full */
/* The unit roundoff of a type, as torch or numpy names it; 0: not known. */
double ts_sketch_roundoff(struct ts_span dtype);

/* "the first tensor that differs by more than rounding is the output of X, at step 41": what is evidence, and no more. Empty where none
 * is named, or the arena is full. */
struct ts_span ts_sketch_claims(const struct ts_sketch_diff *diff, struct ts_arena *arena);
/* The row to speak of: the first above rounding, else the one that weighs most; NULL where none has a distance. */
const struct ts_sketch_row *ts_sketch_told(const struct ts_sketch_diff *diff);
/* How many tensors rounding was held against; equal ones count where there was a third run. */
uint64_t ts_sketch_judged(const struct ts_sketch_diff *diff);

/* Whether rounding explains every tensor that differs, but for those that rounding alone makes into something else. */
bool ts_sketch_explained(const struct ts_sketch_diff *diff);

struct ts_sketch_tensor;

struct ts_sketch_walk {
	struct ts_sketch_diff diff;
	/* The members below are private. */
	struct ts_arena *arena, *scratch;
	struct ts_dictionary *keys, *names;
	int64_t step;
	struct ts_sketch_tensor **tensors; /* by the number of their key */
	size_t n, cap;
	uint64_t *counts; /* records of that name and kind on the rank, by the number of the name */
	uint8_t *given;	  /* sides whose module gave what another one had given, by the number of the gradient of its output */
	size_t n_counts, cap_counts, n_given, cap_given;
	enum ts_sketch_side side;
	int32_t rank;
	uint64_t ordinal;
	double roundoff[TS_SKETCH_SIDES]; /* the coarsest so far */
	bool shown;	/* the third run has a tensor that was compared */
	bool moved;	/* and differs from the first somewhere */
	bool has_judged;
	int64_t judged; /* the last step in which a tensor was */
	bool alike;	/* the step before was compared, and every sketch up to it is equal; or there is none */
	struct ts_sketch_alone { /* the first output that one run alone has in its step */
		bool has;
		enum ts_sketch_side side;
		int64_t step;
		int32_t rank;
		uint64_t ordinal;
	} alone;
	struct ts_arena kept; /* of the gradients of the step before */
	struct ts_sketch_before *before;
	int64_t kept_step;
	struct ts_sketch_row greatest[TS_SKETCH_PARTS];
	bool has_greatest[TS_SKETCH_PARTS];
};

const char *ts_sketch_group_word(enum ts_sketch_group group); /* "gradients", "clipped", ... */

/* rounding: there is a third run. Rows lie in the arena; scratch is reset at every step. */
enum ts_status ts_sketch_walk_init(struct ts_sketch_walk *walk, bool rounding, double perturbation, struct ts_arena *arena,
				   struct ts_arena *scratch, struct ts_error *err);
void ts_sketch_walk_drop(struct ts_sketch_walk *walk); /* what it holds besides the arenas; also after a failure */
void ts_sketch_walk_begin(struct ts_sketch_walk *walk, int64_t step);
enum ts_status ts_sketch_walk_add(struct ts_sketch_walk *walk, enum ts_sketch_side side, const struct ts_sketch_record *record,
				  struct ts_error *err);
enum ts_status ts_sketch_walk_end(struct ts_sketch_walk *walk, struct ts_error *err);
enum ts_status ts_sketch_walk_finish(struct ts_sketch_walk *walk, struct ts_error *err);

#endif
