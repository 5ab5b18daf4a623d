/* json_diff.c - docs/schemas/diff.schema.json: the answers about two runs and about several. */
#include "cli/json/json_diff.h"

#include "cli/json/json_parts.h"
#include "proto/shape/shape_rows.h"

/* --- two runs --- */

#define TYPE struct ts_reproduce_side
static const struct ts_shape_field side_rows[] = {
	{NULL, "commands", LIST(STRING, commands, n, 0)},
	{NULL, "missing", LIST(STRING, missing, n_missing, 0)},
};
static const struct ts_shape side_shape = {
	JSON_SHAPE("recipe", side_rows),
	.about = "lines for a shell that would run it again, and what of that is not recorded",
};
#undef TYPE

#define TYPE struct ts_reproduce
static const struct ts_shape_field reproduce_rows[] = {
	{NULL, "a", ONE(a, side_shape)},
	{NULL, "b", ONE(b, side_shape)},
};
static const struct ts_shape reproduce_shape = {JSON_SHAPE("reproduce", reproduce_rows)};
#undef TYPE

struct diff_answer {
	struct ts_diff diff;
	const struct ts_reproduce *how;
	const struct ts_trace_diff *trace;
};

#define TYPE struct diff_answer
static const struct ts_shape_field answer_rows[] = {
	{NULL, FLAT, ONE(diff, ts_shape_diff)},
	{NULL, "reproduce", PTR(how, reproduce_shape), ABOUT("null unless asked for by --reproduce")},
	{NULL, "trace", PTR(trace, ts_shape_trace_diff), ABOUT("of the rank whose traces differ most; null: a run has none")},
};
const struct ts_shape ts_shape_diff_answer = {JSON_SHAPE("diff_answer", answer_rows)};
#undef TYPE

static bool is_wanted(const struct ts_series_row *row, const struct ts_series_row *first)
{
	return row->state == TS_SERIES_PARTS && row->role != TS_ROLE_OBSERVATION && row->first_step == first->first_step;
}

/* Selects the series that the view has. Without an axis, their steps are the places where the two runs first differ. */
static bool view_series(const struct ts_diff *diff, struct ts_diff_view view, struct ts_arena *arena, struct ts_diff *ret_diff)
{
	const struct ts_series_row *first = ts_diff_first(diff);

	ret_diff->series = ts_arena_array(arena, diff->n_series, sizeof *diff->series);
	ret_diff->n_series = 0;
	for (size_t i = 0; ret_diff->series && i < diff->n_series; i++) {
		struct ts_series_row *row = &ret_diff->series[ret_diff->n_series];

		if (view.first && (!first || !is_wanted(&diff->series[i], first)))
			continue;
		*row = diff->series[i];
		if (!diff->axis.len)
			row->step_a = row->step_b = row->first_step;
		ret_diff->n_series++;
	}
	return ret_diff->series != NULL;
}

enum ts_status ts_render_diff_json(struct ts_cli *cli, const struct ts_diff *diff, struct ts_diff_view view,
				   const struct ts_reproduce *how, const struct ts_trace_diff *trace, struct ts_error *err)
{
	struct diff_answer answer = {.diff = *diff, .how = how, .trace = trace};

	if (view.first)
		answer.diff.n_facts = 0;
	if (!view_series(diff, view, &cli->arena, &answer.diff))
		return ts_arena_error(&cli->arena, err);
	return ts_json_answer(cli, &ts_shape_diff_answer, &answer, err);
}

/* --- three runs or more --- */

struct matrix_answer {
	enum ts_diff_verdict verdict;
	struct ts_repeats parts; /* of which the matrix and the groups are written */
};

#define TYPE struct matrix_answer
static const struct ts_shape_field matrix_rows[] = {
	{NULL, "verdict", ENUM(verdict, ts_words_verdict)},
	{NULL, "runs", MANY(parts.matrix.runs, parts.matrix.n, ts_shape_run, 0), BOUNDS(3, TS_MATRIX_RUNS_MAX)},
	{NULL, "endings", MANY(parts.matrix.endings, parts.matrix.n_endings, ts_shape_ending, 0), BOUNDS(0, TS_MATRIX_RUNS_MAX),
	 ABOUT("how each of the runs ended, in their order; none: an older server answered")},
	{NULL, "groups", ONE(parts, ts_shape_groups)},
	{NULL, "pairs", ONE(parts.matrix, ts_shape_pairs)},
	{NULL, "aliases", MANY(parts.matrix.aliases, parts.matrix.n_aliases, ts_shape_matrix_alias, 0),
	 BOUNDS(0, TS_MATRIX_ALIASES_MAX), ABOUT("series that two of the runs log under two names, and that are compared as one")},
};
const struct ts_shape ts_shape_matrix_answer = {JSON_SHAPE("matrix_answer", matrix_rows)};
#undef TYPE

enum ts_status ts_render_matrix_json(struct ts_cli *cli, const struct ts_diff_matrix *m, struct ts_error *err)
{
	struct matrix_answer answer = {.verdict = ts_matrix_count(m).verdict, .parts = {.matrix = *m}};

	if (!ts_matrix_groups(m, &cli->arena, &answer.parts.groups, &answer.parts.n_groups))
		return ts_arena_error(&cli->arena, err);
	return ts_json_answer(cli, &ts_shape_matrix_answer, &answer, err);
}
