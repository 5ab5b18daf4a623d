/* shape_repeats.c - the tables of repeats in a diff: several runs of one recipe, and the candidate against their
 * envelope and levels. */
#include "analysis/diverge/repeats.h"
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"

WORD_OF(pattern_word, enum ts_pattern, ts_pattern_word);
static const struct ts_shape_words patterns = {TS_PATTERN_UNKNOWN, TS_PATTERN_SCATTERED, TS_PATTERN_UNKNOWN, .word = pattern_word,
					       .newer = true};

#define TYPE struct ts_envelope_row
static bool has_envelope(const void *in)
{
	return ((const TYPE *)in)->known;
}

static bool is_outside(const void *in)
{
	return ((const TYPE *)in)->known && ((const TYPE *)in)->stays_outside;
}

static void check_envelope(struct ts_wire_reader *r, void *in)
{
	TYPE *row = in;

	(void)r;
	row->grown = row->grown && row->stays_outside;
	row->real = row->stays_outside && !row->grown;
}

static const struct ts_shape_field envelope_rows[] = {
	{"name", "name", BYTES(name, TS_PATH_MAX)},
	{"rank", "rank", I32(rank), OR_NULL},
	{"known", NULL, BOOL(known)},
	{"why_not", "unknown_because", BYTES(why_not, TS_WIRE_TEXT_MAX), OR_NULL},
	{"points", "point_count", U64(points)},
	{"spread", "spread_ratio", F64(spread), OR_NULL, WHEN(has_envelope)},
	{"level", "level_ratio", F64(level), OR_NULL, WHEN(has_envelope)},
	{"spread_there", "spread_there_ratio", F64(spread_there), OR_NULL, WHEN(has_envelope)},
	{"greatest", "greatest_ratio", F64(greatest), OR_NULL, WHEN(has_envelope)},
	{"greatest_step", "greatest_step", I64(greatest_step), WHEN(has_envelope)},
	{"outside", "outside_count", U64(outside)},
	{NULL, "is_real", BOOL(real)},
	{"grown", "has_grown", BOOL(grown)},
	{"first_step", "first_outside_step", I64(first_step), HAS(stays_outside), WHEN(has_envelope)},
	{"first_r", "first_outside_ratio", F64(first_r), OR_NULL, WHEN(is_outside)},
	{"first_limit", "first_limit_ratio", F64(first_limit), OR_NULL, WHEN(is_outside)},
};
static const struct ts_shape envelope_shape = {SHAPE("envelope_row", envelope_row, envelope_rows), .check = check_envelope};
#undef TYPE

#define TYPE struct ts_level_row
static bool has_level(const void *in)
{
	return ((const TYPE *)in)->known;
}

static bool has_points(const void *in)
{
	return ((const TYPE *)in)->points > 0;
}

static const struct ts_shape_field level_rows[] = {
	{"name", "name", BYTES(name, TS_PATH_MAX)},
	{"rank", "rank", I32(rank), OR_NULL},
	{"known", NULL, BOOL(known)},
	{"why_not", "unknown_because", BYTES(why_not, TS_WIRE_TEXT_MAX), OR_NULL},
	{"points", "point_count", U64(points)},
	{"first_step", "first_step", I64(first_step), WHEN(has_points)},
	{"last_step", "last_step", I64(last_step), WHEN(has_points)},
	{"repeats", "repeat_count", SIZE(n)},
	{"mean", "mean", F64(mean), OR_NULL, WHEN(has_level)},
	{"deviation", "deviation", F64(deviation), OR_NULL, WHEN(has_level)},
	{"candidate", "candidate", F64(candidate), OR_NULL, WHEN(has_level)},
	{"difference", "difference_ratio", F64(difference), OR_NULL, WHEN(has_level)},
	{"low", "low_ratio", F64(low), OR_NULL, WHEN(has_level)},
	{"high", "high_ratio", F64(high), OR_NULL, WHEN(has_level)},
	{"p_value", "p_value", F64(p_value), OR_NULL, WHEN(has_level)},
	{"seen", "seen_ratio", F64(seen), OR_NULL, WHEN(has_level)},
	{"answer", "is_equivalent", ENUM(answer, ts_words_yes)},
};
static const struct ts_shape level_shape = {SHAPE("level_row", level_row, level_rows)};
#undef TYPE

#define TYPE struct ts_repeats
/* Writes the runs of each group, counted from 0. */
static void json_groups(struct ts_shape_writer *w, const void *in)
{
	const TYPE *repeats = in;

	ts_json_array(w->json);
	for (size_t k = 0; k < repeats->n_groups; k++) {
		ts_json_array(w->json);
		for (size_t i = 0; i < repeats->matrix.n; i++)
			if (repeats->groups[i] == k)
				ts_json_u64(w->json, i);
		ts_json_end(w->json);
	}
	ts_json_end(w->json);
}

static const struct ts_shape_own groups_own = {
	.json = json_groups,
	.schema = "{\"type\": \"array\", \"items\": {\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/count\"}, \"minItems\": 1}}",
};
const struct ts_shape ts_shape_groups = {OWN_JSON("groups", groups_own)};

static void check_repeats(struct ts_wire_reader *r, void *in)
{
	TYPE *repeats = in;

	repeats->n_groups = 0;
	for (size_t i = 0; i < repeats->matrix.n; i++) {
		size_t group = ts_wire_uint(r, repeats->groups[i], repeats->matrix.n - 1, "groups");

		repeats->n_groups = group >= repeats->n_groups ? group + 1 : repeats->n_groups;
	}
	if (repeats->has_odd)
		(void)ts_wire_uint(r, repeats->odd, repeats->matrix.n - 1, "odd");
}

static const struct ts_shape_field repeats_rows[] = {
	{"pattern", "pattern", ENUM(pattern, patterns)},
	{"sentence", "sentence", BYTES(sentence, TS_WIRE_TEXT_MAX)},
	{"odd", "odd", SIZE(odd), HAS(has_odd)},
	{"matrix", NULL, ONE(matrix, ts_shape_matrix)},
	{NULL, "runs", MANY(matrix.runs, matrix.n, ts_shape_run, 0), BOUNDS(1, TS_MATRIX_RUNS_MAX)},
	{"groups", NULL, LIST(SIZE, groups, matrix.n, TS_MATRIX_RUNS_MAX), AS_MANY},
	{NULL, "groups", HERE(ts_shape_groups)},
	{NULL, "pairs", ONE(matrix, ts_shape_pairs)},
	{NULL, "aliases", MANY(matrix.aliases, matrix.n_aliases, ts_shape_matrix_alias, 0), BOUNDS(0, TS_MATRIX_ALIASES_MAX)},
	{"inside", "inside", ENUM(inside, ts_words_yes)},
	{"verdict", "verdict", BYTES(verdict, TS_WIRE_TEXT_MAX)},
	{"spread", "spread_ratio", F64(spread), OR_NULL},
	{"rows", "envelope", MANY(rows, n_rows, envelope_shape, ENTRIES(2))},
	{"level", "is_equivalent", ENUM(statistical.answer, ts_words_yes)},
	{"level_why", "equivalent_because", BYTES(statistical.why, TS_WIRE_TEXT_MAX), OR_NULL},
	{"levels", "levels", MANY(levels, n_levels, level_shape, ENTRIES(2))},
};
const struct ts_shape ts_shape_repeats = {SHAPE("repeats", repeats, repeats_rows), .check = check_repeats};
#undef TYPE
