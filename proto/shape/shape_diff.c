/* shape_diff.c - the tables of the answer of Diff: where two runs part. */
#include "analysis/diverge/diff.h"
#include "proto/shape/shape_rows.h"
#include "proto/shape/shape_wire.h"

enum { CUT_OFFS_MAX = 64, OUTCOMES_MAX = 64 };

/* The units that an outcome can have (analysis/gate/outcomes.c). */
#define OUTCOME_UNITS "(_s|_bytes|_ratio|_per_s|_count)?"

/* The values of the C enum are the exit codes. */
static const int verdict_values[] = {TS_DIFF_SAME, TS_DIFF_DIFFERENT, TS_DIFF_INCONCLUSIVE};
WORD_OF(verdict_word, enum ts_diff_verdict, ts_verdict_word);
const struct ts_shape_words ts_words_verdict = {1, 3, .values = verdict_values, .word = verdict_word};

WORD_OF(column_type_word, enum ts_column_type, ts_column_type_word);
const struct ts_shape_words ts_words_column_type = {TS_COLUMN_F64, TS_COLUMN_JSON, TS_COLUMN_F64, .word = column_type_word};

WORD_OF(role_word, enum ts_role, ts_role_name);
const struct ts_shape_words ts_words_role = {TS_ROLE_UNKNOWN, TS_ROLE_OBSERVATION, TS_ROLE_UNKNOWN, .word = role_word, .newer = true};

/* --- the request --- */

static const struct ts_shape_words plots_wanted = {TS_PLOTS_NONE, TS_PLOTS_ALL, TS_PLOTS_NONE, .word = NULL};

#define TYPE struct ts_diff_request
static const struct ts_shape_field request_rows[] = {
	{"a", NULL, TEXT(a, TS_WIRE_SPEC_MAX)},
	{"b", NULL, TEXT(b, TS_WIRE_SPEC_MAX)},
	{"ignore", NULL, LIST(TEXT, ignore, n_ignore, TS_WIRE_IGNORE_MAX), MAX(TS_PATH_MAX)},
	{"repeats", NULL, LIST(TEXT, repeats, n_repeats, TS_WIRE_REPEATS_MAX), MAX(TS_WIRE_SPEC_MAX)},
	{"axis", NULL, TEXT(axis, TS_PATH_MAX)},
	{"plots", NULL, ENUM(plots, plots_wanted)},
	{"policy", NULL, MANY(policy.items, policy.n, ts_shape_policy_item, TS_WIRE_POLICY_MAX)},
	{"outcomes", NULL, BOOL(outcomes)},
	{"rounding", NULL, TEXT(rounding, TS_WIRE_SPEC_MAX)},
};
const struct ts_shape ts_shape_diff_request = {SHAPE("diff_request", diff_request, request_rows)};
#undef TYPE

WIRE_SHAPE(diff_request, ts_diff_request, ts_shape_diff_request);

/* --- facts --- */

WORD_OF(group_word, enum ts_group, ts_group_name);
static const struct ts_shape_words groups = {1, TS_GROUPS, TS_GROUP_CODE, .word = group_word};

WORD_OF(change_word, enum ts_fact_change, ts_fact_change_word);
static const struct ts_shape_words changes = {1, TS_FACT_ONLY_B + 1, TS_FACT_CHANGED, .word = change_word};

#define TYPE struct ts_fact_row
/* A value that a side does not have is not shown, whatever the message says of it. */
static void check_fact_row(struct ts_wire_reader *r, void *in)
{
	TYPE *row = in;

	if (row->change == TS_FACT_ONLY_B)
		row->a = NULL;
	else
		(void)ts_wire_need(r, row->a, "a");
	if (row->change == TS_FACT_ONLY_A)
		row->b = NULL;
	else
		(void)ts_wire_need(r, row->b, "b");
}

static const struct ts_shape_field fact_row_rows[] = {
	{"group", "group", ENUM(group, groups)},
	{"path", "path", BYTES(path, TS_PATH_MAX)},
	{"rank", "rank", I32(rank), OR_NULL},
	{"change", "change", ENUM(change, changes)},
	{"a", "a", PTR(a, ts_shape_fact), MAYBE},
	{"b", "b", PTR(b, ts_shape_fact), MAYBE},
};
static const struct ts_shape fact_row_shape = {SHAPE("fact_row", fact_row, fact_row_rows), .check = check_fact_row};
#undef TYPE

/* --- series --- */

WORD_OF(series_word, enum ts_series_state, ts_series_word);
static const struct ts_shape_words series_states = {1, TS_SERIES_DISJOINT + 1, TS_SERIES_SAME, .word = series_word};

enum { TYPES_MASK = (2 << TS_COLUMN_JSON) - 1 };

#define TYPE struct ts_series_row
static bool parts(const void *in)
{
	return ((const TYPE *)in)->state == TS_SERIES_PARTS;
}

static bool is_counted(const void *in)
{
	return ((const TYPE *)in)->counted;
}

static void check_series(struct ts_wire_reader *r, void *in)
{
	const TYPE *row = in;

	if (parts(row) && !row->a.type)
		ts_wire_fail(r, "a", "is not there");
	if (parts(row) && !row->b.type)
		ts_wire_fail(r, "b", "is not there");
	if (row->other_types & 1)
		ts_wire_fail(r, "other_types", "has a bit of no type");
}

static void json_other_types(struct ts_shape_writer *w, const void *in)
{
	const TYPE *row = in;

	ts_json_array(w->json);
	for (unsigned t = TS_COLUMN_F64; t <= TS_COLUMN_JSON; t++)
		if (row->other_types >> t & 1)
			ts_json_string(w->json, ts_column_type_word((enum ts_column_type)t));
	ts_json_end(w->json);
}

static const struct ts_shape_own other_types_own = {
	.json = json_other_types,
	.schema = "{\"type\": \"array\", \"description\": \"only_a, only_b: the types that the other run has under this name, which is "
		  "why no steps were compared\", \"items\": {\"enum\": [\"f64\", \"u64\", \"text\", \"json\"]}}",
};
static const struct ts_shape other_types_shape = {OWN_JSON("other_types", other_types_own)};

static const struct ts_shape_field series_rows[] = {
	{"name", "name", BYTES(name, TS_PATH_MAX)},
	{"type", "type", ENUM(type, ts_words_column_type)},
	{"role", "role", ENUM(role, ts_words_role)},
	{"rank", "rank", I32(rank), OR_NULL},
	{"state", "state", ENUM(state, series_states)},
	{"other_types", NULL, U32(other_types), MAX(TYPES_MASK)},
	{NULL, "other_types", HERE(other_types_shape)},
	{"first_step", "first_step", I64(first_step), WHEN(parts)},
	{"after_step", "after_step", I64(after_step), HAS(after_known), WHEN(parts)},
	{"step_a", "a_step", I64(step_a), WHEN(parts)},
	{"step_b", "b_step", I64(step_b), WHEN(parts)},
	{"a", "a", ONE(a, ts_shape_cell), MAYBE, WHEN(parts)},
	{"b", "b", ONE(b, ts_shape_cell), MAYBE, WHEN(parts)},
	{"steps_a", "a_row_count", U64(steps_a)},
	{"steps_b", "b_row_count", U64(steps_b)},
	{"counted", NULL, BOOL(counted)},
	{"common", "common_row_count", U64(common), WHEN(is_counted)},
	{"only_a", "only_a_row_count", U64(only_a), WHEN(is_counted)},
	{"only_b", "only_b_row_count", U64(only_b), WHEN(is_counted)},
	{"gap", "gap", ONE(gap, ts_shape_gap), HAS(gap.known)},
};
static const struct ts_shape series_shape = {SHAPE("series_row", series_row, series_rows), .check = check_series};
#undef TYPE

/* --- outcomes --- */

#define TYPE struct ts_outcome_side
static const struct ts_shape_field outcome_side_rows[] = {
	{"value", "value", F64(value), HAS(known), OR_NULL, IN_UNIT(OUTCOME_UNITS)},
	{"reason", "reason", BYTES(reason, TS_WIRE_TEXT_MAX), OR_NULL},
};
static const struct ts_shape outcome_side_shape = {SHAPE("outcome_side", outcome_side, outcome_side_rows)};
#undef TYPE

#define TYPE struct ts_outcome
static const char *outcome_unit(const void *in)
{
	return ts_unit_suffix(((const TYPE *)in)->unit);
}

static void check_outcome(struct ts_wire_reader *r, void *in)
{
	TYPE *o = in;

	if (o->compared && !(o->a.known && o->b.known))
		ts_wire_fail(r, "change", "is not between two values");
	if (o->has_noise && !o->compared)
		ts_wire_fail(r, "noise", "is not that of a change");
}

static const struct ts_shape_field outcome_rows[] = {
	{"name", "name", TEXT(name, TS_PATH_MAX)},
	{"title", NULL, TEXT(title, TS_PATH_MAX)},
	{"unit", NULL, ENUM(unit, ts_words_unit)},
	{"a", "a", ONE(a, outcome_side_shape)},
	{"b", "b", ONE(b, outcome_side_shape)},
	{"change", "change", F64(change), HAS(compared), OR_NULL, IN_UNIT(OUTCOME_UNITS), ABOUT("b - a")},
	{"noise", "noise", F64(noise), HAS(has_noise), OR_NULL, IN_UNIT(OUTCOME_UNITS),
	 ABOUT("half the width of a 95 % interval of change, as the steps of each run vary; runs of the same code differ by more")},
	{"reason", "reason", BYTES(reason, TS_WIRE_TEXT_MAX), OR_NULL, ABOUT("why two known values are not compared")},
};
static const struct ts_shape outcome_shape = {SHAPE("outcome", outcome, outcome_rows), .check = check_outcome, .unit = outcome_unit};
#undef TYPE

/* --- events --- */

WORD_OF(event_change_word, enum ts_event_change, ts_event_change_word);
static const struct ts_shape_words event_changes = {TS_EVENT_ONLY_A, TS_EVENT_ORDER, TS_EVENT_ONLY_A, .word = event_change_word,
						    .newer = true};
WORD_OF(event_where_word, enum ts_event_where, ts_event_where_word);
static const struct ts_shape_words event_wheres = {TS_EVENT_IN, TS_EVENT_NOWHERE, TS_EVENT_IN, .word = event_where_word, .newer = true};

#define TYPE struct ts_event_side
static const struct ts_shape_field event_side_rows[] = {
	{"value", "value", F64(value), HAS(has_value), OR_NULL},
	{"text", "text", BYTES(text, TS_PATH_MAX), OR_NULL},
};
static const struct ts_shape event_side_shape = {SHAPE("event_side", event_side, event_side_rows)};
#undef TYPE

#define TYPE struct ts_event_row
static bool has_step(const void *in)
{
	const TYPE *row = in;

	return row->where == TS_EVENT_IN || row->where == TS_EVENT_BEHIND;
}

static bool in_a(const void *in)
{
	return ((const TYPE *)in)->change != TS_EVENT_ONLY_B;
}

static bool in_b(const void *in)
{
	return ((const TYPE *)in)->change != TS_EVENT_ONLY_A;
}

static const struct ts_shape_field event_rows[] = {
	{"rank", "rank", I32(rank), OR_NULL},
	{"change", "change", ENUM(change, event_changes)},
	{"where", "where", ENUM(where, event_wheres)},
	{"step", "step", I64(step), WHEN(has_step)},
	{"region", "region", BOOL(region)},
	{"name", "name", BYTES(name, TS_PATH_MAX)},
	{"occurrence", "occurrence", U64(occurrence)},
	{"a", "a", ONE(a, event_side_shape), WHEN(in_a)},
	{"b", "b", ONE(b, event_side_shape), WHEN(in_b)},
};
static const struct ts_shape event_shape = {SHAPE("event_row", event_row, event_rows)};
#undef TYPE

#define TYPE struct ts_event_diff
static const struct ts_shape_field events_rows[] = {
	{"all_a", "a_count", U64(all_a)},
	{"all_b", "b_count", U64(all_b)},
	{"compared", "compared_count", U64(compared)},
	{"only_a", "only_a_count", U64(only_a)},
	{"only_b", "only_b_count", U64(only_b)},
	{"beyond_a", "beyond_a_count", U64(beyond_a), ABOUT("of the first run, behind the last step of the second")},
	{"beyond_b", "beyond_b_count", U64(beyond_b)},
	{"values", "value_count", U64(values), ABOUT("of those that both have: how many have another value or text")},
	{"reordered", "reordered_count", U64(reordered), ABOUT("places where what both have comes in another order")},
	{"cut", "cut", BOOL(cut), ABOUT("a rank has more events than are looked at")},
	{"rows", "rows", MANY(rows, n, event_shape, TS_RANKS_MAX), ABOUT("the first that differs, for each rank")},
};
static const struct ts_shape events_shape = {SHAPE("events", event_diff, events_rows)};
#undef TYPE

/* --- layers --- */

#define TYPE struct ts_layer_row
static void check_layer(struct ts_wire_reader *r, void *in)
{
	(void)r;
	((TYPE *)in)->differs = ((TYPE *)in)->visible = true; /* others are not sent */
}

static const struct ts_shape_field layer_rows[] = {
	{"layer", "layer", BYTES(layer, TS_PATH_MAX)},
	{"what", "what", BYTES(what, TS_PATH_MAX)},
	{"series", "series", BYTES(series, TS_PATH_MAX)},
	{"rank", "rank", I32(rank), OR_NULL},
	{"first_step", "first_step", I64(first_step), ABOUT("whose bits differ")},
	{"visible_step", "visible_step", I64(visible_step),
	 ABOUT("the first at which they differ by more than both were written with")},
	{"greatest", "greatest_ratio", F64(greatest), ABOUT("|a - b| / max(|a|, |b|)")},
	{"greatest_step", "greatest_step", I64(greatest_step)},
	{"end", "end_ratio", F64(end), ABOUT("median over the last tenth; NaN: fewer than 5 points")},
};
static const struct ts_shape layer_shape = {SHAPE("layer_row", layer_row, layer_rows), .check = check_layer};
#undef TYPE

#define TYPE struct ts_layer_drift
static const struct ts_shape_field layers_rows[] = {
	{"layers", "layer_count", U64(layers), ABOUT("of which both runs recorded numbers, such as norms of gradients")},
	{"visible", "differing_count", U64(visible), ABOUT("by more than both were written with")},
	{"within", "within_count", U64(within), ABOUT("whose bits differ, and no more")},
	{"cut", "cut", BOOL(cut), ABOUT("only the first 262144 numbers, of the lower ranks, are looked at")},
	{"rows", "rows", MANY(rows, n, layer_shape, TS_DRIFTS_SHOWN), ROOM(cap),
	 ABOUT("those that differ first, and the one that differs most: of each its number that differs first")},
};
static const struct ts_shape layers_shape = {SHAPE("layers", layer_drift, layers_rows)};
#undef TYPE

/* --- the answer --- */

#define TYPE struct ts_cut_off
static const struct ts_shape_field cut_off_rows[] = {
	{"name", "name", TEXT(name, TS_PATH_MAX)},
	{"value", "value", F64(value), FINITE},
	{"standard", "default", F64(standard), FINITE},
};
static const struct ts_shape cut_off_shape = {SHAPE("cut_off", cut_off, cut_off_rows)};
#undef TYPE

#define TYPE struct ts_alias_row
static const struct ts_shape_field alias_rows[] = {
	{"a", "a", BYTES(a, TS_PATH_MAX)},
	{"b", "b", BYTES(b, TS_PATH_MAX)},
	{"ranks", "rank_count", U64(ranks)},
	{"common", "equal_row_count", U64(common), ABOUT("common rows before the first that differs, on the rank that has fewest")},
	{"parts", "parts", BOOL(parts)},
};
static const struct ts_shape alias_shape = {SHAPE("alias_row", alias_row, alias_rows)};
#undef TYPE

#define TYPE struct ts_diff
static bool a_has_more(const void *in)
{
	return ((const TYPE *)in)->steps_only_a > 0;
}

static bool b_has_more(const void *in)
{
	return ((const TYPE *)in)->steps_only_b > 0;
}

static const struct ts_shape_field only_a_rows[] = {
	{"steps_only_a", "step_count", U64(steps_only_a)},
	{"only_a_first", "first_step", I64(only_a_first), WHEN(a_has_more)},
	{"only_a_last", "last_step", I64(only_a_last), WHEN(a_has_more)},
	{"ranks_only_a", "ranks", LIST(I32, ranks_only_a, n_ranks_only_a, TS_RANKS_MAX)},
};
static const struct ts_shape only_a_shape = {SHAPE("only_a", diff_reply, only_a_rows)};

static const struct ts_shape_field only_b_rows[] = {
	{"steps_only_b", "step_count", U64(steps_only_b)},
	{"only_b_first", "first_step", I64(only_b_first), WHEN(b_has_more)},
	{"only_b_last", "last_step", I64(only_b_last), WHEN(b_has_more)},
	{"ranks_only_b", "ranks", LIST(I32, ranks_only_b, n_ranks_only_b, TS_RANKS_MAX)},
};
static const struct ts_shape only_b_shape = {SHAPE("only_b", diff_reply, only_b_rows)};

static bool machines_differ(const void *in)
{
	return ((const TYPE *)in)->machines.len > 0;
}

static const struct ts_shape_field diff_rows[] = {
	{"verdict", "verdict", ENUM(verdict, ts_words_verdict)},
	{"reason", "reason", BYTES(reason, TS_WIRE_TEXT_MAX)},
	{"axis", "axis", BYTES(axis, TS_PATH_MAX), OR_NULL,
	 ABOUT("the column that points were paired by in place of the step; first_step and after_step are places on it")},
	{"cut_offs", "cut_offs", MANY(cut_offs, n_cut_offs, cut_off_shape, CUT_OFFS_MAX),
	 ABOUT("cut-offs that a policy set to another value than the default; docs/divergence.md has the table")},
	{"diagnosis", "diagnosis", ONE(diagnosis, ts_shape_diagnosis)},
	{"a", "a", ONE(a, ts_shape_run)},
	{"b", "b", ONE(b, ts_shape_run)},
	{"ending_a", "a_ending", ONE(ending_a, ts_shape_ending), HAS(ending_a.told)},
	{"ending_b", "b_ending", ONE(ending_b, ts_shape_ending), HAS(ending_b.told)},
	{"outcomes", "outcomes", MANY(outcomes, n_outcomes, outcome_shape, OUTCOMES_MAX),
	 ABOUT("what the two runs came to; what neither run has is left out")},
	{"machines", "machines", BYTES(machines, TS_WIRE_TEXT_MAX), WHEN(machines_differ),
	 ABOUT("in what the machine of b differed from that of a; it may explain a time, and proves nothing")},
	{"facts", "facts", MANY(facts, n_facts, fact_row_shape, ENTRIES(10))}, /* the least entry has a group, a change and a side */
	{"ignored_facts", "ignored_fact_count", U64(ignored_facts)},
	{"series", "series", MANY(series, n_series, series_shape, ENTRIES(6))}, /* the least entry has a type and a state */
	{"same_count", "same_series_count", U64(n_same)},
	{NULL, "only_a", PART(only_a_shape)},
	{NULL, "only_b", PART(only_b_shape)},
	{"superseded_a", "a_superseded_row_count", U64(superseded_a),
	 ABOUT("rows over all ranks that were left out, because a restart executed their steps again; the last execution is compared")},
	{"superseded_b", "b_superseded_row_count", U64(superseded_b)},
	{"aliases", "aliases", MANY(aliases, n_aliases, alias_shape, ENTRIES(6)), /* the least entry has two names of a byte */
	 ABOUT("series that the two runs log under two names, a and b, and that are compared as one; its row has the name of a")},
	{"ops", "ops", ONE(ops, ts_shape_ops)},
	{"events", "events", ONE(events, events_shape), ABOUT("events and regions; they say nothing of what was computed")},
	{"layers", "layers", ONE(layers, layers_shape)},
	{"sketches", "tensors", ONE(sketches, ts_shape_sketches),
	 ABOUT("sketches of tensors; docs/sketches.md says how rounding is measured")},
	{"repeats", "repeats", ONE(repeats, ts_shape_repeats), HAS(repeats.asked)},
	{"plots", "plots", VECTOR(plots, ts_shape_plot, ENTRIES(4)), /* the least entry has a width */
	 ABOUT("with --curves or --html: curves of series that part, on the rank that parts first; group around (the split) or whole"
	       " (run), subject the series, name a or b; at most 480 cells: cell i begins at step first_step + i * cell_step_count;"
	       " NaN where it has no number")},
};
const struct ts_shape ts_shape_diff = {SHAPE("diff", diff_reply, diff_rows)};
#undef TYPE

WIRE_SHAPE(diff_reply, ts_diff, ts_shape_diff);
