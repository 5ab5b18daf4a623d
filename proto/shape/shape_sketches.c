/* shape_sketches.c - the tables of the tensors in a diff. */
#include "analysis/diverge/sketch_diff.h"
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"

WORD_OF(part_word, enum ts_sketch_part, ts_sketch_part_word);
static const struct ts_shape_words parts = {TS_SKETCH_FORWARD, TS_SKETCH_UPDATE, TS_SKETCH_FORWARD, .word = part_word, .newer = true};

WORD_OF(state_word, enum ts_sketch_state, ts_sketch_state_word);
static const struct ts_shape_words states = {TS_SKETCH_EQUAL, TS_SKETCH_NOT_FINITE, TS_SKETCH_EQUAL, .word = state_word, .newer = true};

WORD_OF(group_word, enum ts_sketch_group, ts_sketch_group_word);
static const struct ts_shape_words groups = {TS_SKETCH_ALONE, TS_SKETCH_OUTLIERS, TS_SKETCH_ALONE, .word = group_word, .newer = true};

#define TYPE struct ts_sketch_row
static const struct ts_shape_field row_rows[] = {
	{"step", "step", I64(step)},
	{"place", "place", U64(place), ABOUT("in order of execution, among the compared tensors of the step")},
	{"name", "name", BYTES(name, TS_PATH_MAX)},
	{"kind", "kind", BYTES(kind, TS_PATH_MAX)},
	{"occurrence", "occurrence", U64(occurrence)},
	{"part", "part", ENUM(part, parts)},
	{"state", "state", ENUM(state, states)},
	{"count_a", "a_element_count", U64(count_a)},
	{"count_b", "b_element_count", U64(count_b)},
	{"nonfinite_a", "a_nonfinite_count", U64(nonfinite_a)},
	{"nonfinite_b", "b_nonfinite_count", U64(nonfinite_b)},
	{"distance", "distance_ratio", F64(distance), OR_NULL, ABOUT("the norm of the difference over that of the first run's tensor")},
	{"rounding", "rounding_ratio", F64(rounding), OR_NULL, ABOUT("the distance that rounding alone makes here")},
	{"ratio", "over_rounding_ratio", F64(ratio), OR_NULL},
	{"limit", "limit_ratio", F64(limit), OR_NULL, ABOUT("over_rounding_ratio above this is above rounding")},
};
static const struct ts_shape row_shape = {SHAPE("tensor", sketch_row, row_rows)};
#undef TYPE

#define TYPE struct ts_sketch_diff
/* The row of the first is in the list. */
static void check_sketches(struct ts_wire_reader *r, void *in)
{
	TYPE *sketches = in;

	if (sketches->has_first)
		(void)ts_wire_uint(r, sketches->first, sketches->n ? sketches->n - 1 : 0, "first");
	sketches->has_first = sketches->has_first && sketches->n > 0;
}

static const struct ts_shape_field sketches_rows[] = {
	{"recorded", "recorded", BOOL(recorded)},
	{"sentence", "sentence", BYTES(sentence, TS_WIRE_TEXT_MAX)},
	{"has_rounding", "has_rounding", BOOL(has_rounding)},
	{"flat", "flat", BOOL(flat), ABOUT("the run that was to show rounding is equal to the first run")},
	{"perturbation", "perturbation_ratio", F64(perturbation), ABOUT("of that run's input; 0 where it was not recorded")},
	{"steps", "step_count", U64(steps)},
	{"compared", "compared_count", U64(compared)},
	{"only_a", "only_a_count", U64(only_a)},
	{"only_b", "only_b_count", U64(only_b)},
	{"equal", "equal_count", U64(equal)},
	{"within", "within_count", U64(within)},
	{"above", "above_count", U64(above)},
	{"unjudged", "unjudged_count", U64(unjudged)},
	{"noise", "noise_count", U64(noise)},
	{"sizes", "sizes_count", U64(sizes)},
	{"not_finite", "not_finite_count", U64(not_finite)},
	{"shards", "sharded_count", U64(shards)},
	{"first", "first", SIZE(first), HAS(has_first), ABOUT("the place in rows of the first tensor above rounding, from 0")},
	{"before", "before_count", U64(before)},
	{"estimated", "estimated", BOOL(estimated), ABOUT("how far rounding goes is estimated: no run that shows it was given")},
	{"group", "group", ENUM(group, groups), ABOUT("what all tensors of a group have in common from the first on")},
	{"factor", "factor_ratio", F64(factor), OR_NULL, ABOUT("of that group, the second run over the first")},
	{"claim", "claim", BYTES(claim, TS_WIRE_TEXT_MAX)},
	{"why", "why", BYTES(why, TS_WIRE_TEXT_MAX)},
	{"apart", "apart", BYTES(apart, TS_WIRE_TEXT_MAX),
	 ABOUT("the first module that does nothing in one run alone, or that "
	 "one run lacks")},
	{"rows", "rows", MANY(rows, n, row_shape, TS_SKETCH_ROWS)},
};
const struct ts_shape ts_shape_sketches = {SHAPE("tensors", sketch_diff, sketches_rows), .check = check_sketches};
#undef TYPE
