/* shape_diagnosis.c - the tables of why two runs part: how far apart they are, the diagnosis, and the first
 * operation that differs. */
#include "analysis/diverge/gap.h"
#include "analysis/diverge/op_diff.h"
#include "analysis/answer/diagnosis.h"
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"

/* --- gap --- */

#define TYPE struct ts_gap
/* r is 2 where the two values have equal magnitude and opposite signs: a = 1, b = -1. */
static const struct ts_shape_field gap_rows[] = {
	{"quantum", "quantum", F64(quantum)},
	{"visible_step", "visible_step", I64(visible_step), HAS(visible)},
	{"first", "first_ratio", F64(first), OR_NULL, BOUNDS(0, 2)},
	{"at_visible", "at_visible_ratio", F64(at_visible), OR_NULL, BOUNDS(0, 2)},
	{"after_10", "after_10_ratio", F64(after_10), OR_NULL, BOUNDS(0, 2)},
	{"after_30", "after_30_ratio", F64(after_30), OR_NULL, BOUNDS(0, 2)},
	{"after_100", "after_100_ratio", F64(after_100), OR_NULL, BOUNDS(0, 2)},
	{"slope", "slope_per_step", F64(slope), OR_NULL},
	{"saturation", "saturation_ratio", F64(saturation), OR_NULL, BOUNDS(0, 2)},
	{"greatest", "greatest_ratio", F64(greatest), OR_NULL, BOUNDS(0, 2)},
	{"greatest_step", "greatest_step", I64(greatest_step)},
	{"bias", "a_greater_ratio", F64(bias), OR_NULL, BOUNDS(0, 1)},
	{"points", "point_count", U64(points)},
	{"differing", "differing_count", U64(differing)},
	{"last_step", "last_step", I64(last_step)},
};
const struct ts_shape ts_shape_gap = {
	SHAPE("gap", gap, gap_rows),
	.about = "how far apart from first_step on: r = |a - b| / max(|a|, |b|); null where there are not points enough",
};
#undef TYPE

/* --- diagnosis --- */

WORD_OF(tier_word, enum ts_tier_answer, ts_tier_word);
const struct ts_shape_words ts_words_tier = {TS_TIER_UNKNOWN, TS_TIER_FAILS, TS_TIER_UNKNOWN, .word = tier_word};

static const char *yes_or_no(int answer)
{
	return answer == TS_TIER_UNKNOWN ? NULL : answer == TS_TIER_HOLDS ? "true" : "false";
}
const struct ts_shape_words ts_words_yes = {TS_TIER_UNKNOWN, TS_TIER_FAILS, TS_TIER_UNKNOWN, .word = yes_or_no, .bare = true};

WORD_OF(cause_word, enum ts_cause, ts_cause_word);
static const struct ts_shape_words causes = {TS_CAUSE_UNKNOWN, TS_CAUSES - 1, TS_CAUSE_UNKNOWN, .word = cause_word, .newer = true};
WORD_OF(cause_title, enum ts_cause, ts_cause_title);
static const struct ts_shape_words titles = {TS_CAUSE_UNKNOWN, TS_CAUSES - 1, TS_CAUSE_UNKNOWN, .word = cause_title, .prose = true,
					    .newer = true};

WORD_OF(confidence_word, enum ts_confidence, ts_confidence_word);
static const struct ts_shape_words confidences = {TS_CONFIDENCE_NONE, TS_CONFIDENCE_HIGH, TS_CONFIDENCE_NONE, .word = confidence_word,
						  .newer = true};

#define TYPE struct ts_tier
static const struct ts_shape_field tier_rows[] = {
	{"answer", "answer", ENUM(answer, ts_words_tier)},
	{"why", "why", BYTES(why, TS_WIRE_TEXT_MAX), OR_NULL},
};
const struct ts_shape ts_shape_tier = {SHAPE("tier", tier, tier_rows)};
#undef TYPE

#define TYPE struct ts_experiment_factor
static const struct ts_shape_field experiment_factor_rows[] = {
	{"path", "path", BYTES(path, TS_WIRE_TEXT_MAX)},
	{"value", "value", BYTES(value, TS_WIRE_TEXT_MAX), ABOUT("as text")},
};
static const struct ts_shape experiment_factor_shape = {SHAPE("experiment_factor", experiment_factor, experiment_factor_rows)};
#undef TYPE

WORD_OF(experiment_word, enum ts_experiment_kind, ts_experiment_word);
static const struct ts_shape_words experiment_kinds = {TS_EXPERIMENT_OTHER, TS_EXPERIMENT_KINDS - 1, TS_EXPERIMENT_OTHER,
						       .word = experiment_word, .newer = true};
WORD_OF(recipe_word, enum ts_experiment_recipe, ts_recipe_word);
static const struct ts_shape_words recipes = {TS_RECIPE_NONE, TS_RECIPES - 1, TS_RECIPE_NONE, .word = recipe_word};

#define TYPE struct ts_experiment
static const struct ts_shape_field experiment_rows[] = {
	{"what", "what", BYTES(what, TS_WIRE_TEXT_MAX), OR_NULL},
	{"command", "command", BYTES(command, TS_WIRE_TEXT_MAX), OR_NULL},
	{"splits", "splits", BYTES(splits, TS_WIRE_TEXT_MAX), OR_NULL},
	{"steps", "run_step_count", U64(steps)},
	{"kind", "kind", ENUM(kind, experiment_kinds)},
	{"recipe", "recipe", ENUM(recipe, recipes), ABOUT("whose runs are made again")},
	{"factors", "factors", MANY(factors, n_factors, experiment_factor_shape, ENTRIES(2)), ABOUT("facts that it sets")},
	{"stop", "stop", I64(stop), HAS(has_stop), ABOUT("the step before which a run may end")},
};
static const struct ts_shape experiment_shape = {SHAPE("experiment", experiment, experiment_rows)};
#undef TYPE

#define TYPE struct ts_diagnosis
static const struct ts_shape_field tiers_rows[] = {
	{"bits", "bit_exact", ONE(bits, ts_shape_tier)},
	{"numeric", "numerically_equivalent", ONE(numeric, ts_shape_tier)},
	{"statistical", "statistically_equivalent", ONE(statistical, ts_shape_tier)},
};
static const struct ts_shape tiers_shape = {SHAPE("tiers", diagnosis, tiers_rows)};

static const struct ts_shape_field diagnosis_rows[] = {
	{"cause", "cause", ENUM(cause, causes)},
	{NULL, "title", ENUM(cause, titles)},
	{"confidence", "confidence", ENUM(confidence, confidences)},
	{"step", "step", I64(step), HAS(has_step)},
	{"sentence", "sentence", BYTES(sentence, TS_WIRE_TEXT_MAX), OR_NULL},
	{NULL, "tiers", PART(tiers_shape)},
	{"evidence_for", "evidence_for", LIST(BYTES, evidence_for, n_for, ENTRIES(2)), MAX(TS_WIRE_TEXT_MAX)},
	{"evidence_against", "evidence_against", LIST(BYTES, evidence_against, n_against, ENTRIES(2)), MAX(TS_WIRE_TEXT_MAX)},
	{"remaining", "remaining", LIST(ENUM, remaining, n_remaining, TS_CAUSES), WORDS(causes)},
	{"experiments", "experiments", MANY(experiments, n_experiments, experiment_shape, ENTRIES(2))},
	{"features", NULL, VECTOR(features, ts_shape_measure, ENTRIES(2))},
	{NULL, "features", ONE(features, ts_shape_measures)},
	{NULL, "unknown", ONE(features, ts_shape_unknown)},
};
const struct ts_shape ts_shape_diagnosis = {SHAPE("diagnosis", diagnosis, diagnosis_rows)};
#undef TYPE

/* --- operations --- */

WORD_OF(op_role_word, enum ts_op_role, ts_op_role_word);
static const struct ts_shape_words op_roles = {TS_OP_ORIGIN, TS_OP_MOVED, TS_OP_ORIGIN, .word = op_role_word};

#define TYPE struct ts_op_row
static bool has_inputs(const void *in)
{
	return ((const TYPE *)in)->has_inputs;
}

static bool in_first(const void *in)
{
	return ((const TYPE *)in)->role != TS_OP_ONLY_B;
}

static bool in_second(const void *in)
{
	enum ts_op_role role = ((const TYPE *)in)->role;

	return role != TS_OP_ONLY_A && role != TS_OP_MOVED;
}

static bool has_inputs_a(const void *in)
{
	return has_inputs(in) && in_first(in);
}

static bool has_inputs_b(const void *in)
{
	return has_inputs(in) && in_second(in);
}

static bool is_behind(const void *in)
{
	return ((const TYPE *)in)->after.len > 0;
}

static const struct ts_shape_field op_rows[] = {
	{"rank", "rank", I32(rank), OR_NULL},
	{"role", "role", ENUM(role, op_roles)},
	{"step", "step", I64(step)},
	{"ordinal", "ordinal", U64(ordinal)},
	{"name", "name", BYTES(name, TS_PATH_MAX)},
	{"occurrence", "occurrence", U64(occurrence)},
	{"has_inputs", NULL, BOOL(has_inputs)},
	{"in_a", "a_inputs", HEX(in_a), WHEN(has_inputs_a)},
	{"in_b", "b_inputs", HEX(in_b), WHEN(has_inputs_b)},
	{"out_a", "a_output", HEX(out_a), WHEN(in_first)},
	{"out_b", "b_output", HEX(out_b), WHEN(in_second)},
	{"after", "after", BYTES(after, TS_PATH_MAX), WHEN(is_behind)},
};
static const struct ts_shape op_shape = {SHAPE("op", op_row, op_rows)};
#undef TYPE

#define TYPE struct ts_op_diff
static const struct ts_shape_field ops_rows[] = {
	{"compared", "compared_count", U64(compared)},
	{"only_a", "only_a_count", U64(only_a)},
	{"only_b", "only_b_count", U64(only_b)},
	{"reordered", "reordered", BOOL(reordered)},
	{"rows", "rows", MANY(rows, n, op_shape, TS_RANKS_MAX)}, /* one row for each rank */
	{"apart", "apart", MANY(apart, n_apart, op_shape, TS_RANKS_MAX)},
};
const struct ts_shape ts_shape_ops = {SHAPE("ops", op_diff, ops_rows)};
#undef TYPE
