/* json_diff.c - docs/schemas/diff.schema.json. */
#include "cli/json/json_diff.h"


#include "cli/core/context.h"
#include "cli/core/diff_view.h"
#include "cli/json/json_analysis.h"
#include "cli/json/json_diagnosis.h"
#include "cli/json/json_parts.h"
#include "cli/json/json_repeats.h"
#include "cli/text/reproduce.h"
#include "cli/text/show_value.h"
#include "run/head.h"

static void fact_row(struct ts_json *j, const struct ts_fact_row *row)
{
	ts_json_object(j);
	ts_json_key(j, "group");
	ts_json_string(j, ts_group_name(row->group));
	ts_json_key(j, "path");
	ts_json_span(j, row->path);
	ts_json_key(j, "rank");
	if (row->rank == TS_RANK_JOB)
		ts_json_null(j);
	else
		ts_json_i64(j, row->rank);
	ts_json_key(j, "change");
	ts_json_string(j, ts_fact_change_word(row->change));
	ts_json_key(j, "a");
	ts_json_fact(j, row->a);
	ts_json_key(j, "b");
	ts_json_fact(j, row->b);
	ts_json_end(j);
}

/* Whatever else the other side has under the name, empty if nothing. */
static void other_types(struct ts_json *j, unsigned types)
{
	ts_json_key(j, "other_types");
	ts_json_array(j);
	for (unsigned t = TS_COLUMN_F64; t <= TS_COLUMN_JSON; t++)
		if (types >> t & 1)
			ts_json_string(j, ts_column_type_word((enum ts_column_type)t));
	ts_json_end(j);
}

static void cut_offs(struct ts_json *j, const struct ts_diff *diff)
{
	ts_json_key(j, "cut_offs");
	ts_json_array(j);
	for (size_t i = 0; i < diff->n_cut_offs; i++) {
		ts_json_object(j);
		ts_json_text(j, "name", diff->cut_offs[i].name);
		ts_json_key(j, "value");
		ts_json_double(j, diff->cut_offs[i].value);
		ts_json_key(j, "default");
		ts_json_double(j, diff->cut_offs[i].standard);
		ts_json_end(j);
	}
	ts_json_end(j);
}

/* axis: first_step and after_step are places on it. */
static void series_row(struct ts_json *j, const struct ts_series_row *row, bool axis)
{
	bool parts = row->state == TS_SERIES_PARTS;

	ts_json_object(j);
	ts_json_key(j, "name");
	ts_json_span(j, row->name);
	ts_json_key(j, "type");
	ts_json_string(j, ts_column_type_word(row->type));
	ts_json_key(j, "role");
	ts_json_string(j, ts_role_name(row->role));
	ts_json_key(j, "rank");
	if (row->rank == TS_RANK_JOB)
		ts_json_null(j);
	else
		ts_json_i64(j, row->rank);
	ts_json_key(j, "state");
	ts_json_string(j, ts_series_word(row->state));
	other_types(j, row->other_types);
	ts_json_known_step(j, "first_step", parts, row->first_step);
	ts_json_known_step(j, "after_step", parts && row->after_known, row->after_step);
	ts_json_known_step(j, "a_step", parts, axis ? row->step_a : row->first_step);
	ts_json_known_step(j, "b_step", parts, axis ? row->step_b : row->first_step);
	ts_json_key(j, "a");
	if (parts)
		ts_json_cell_value(j, &row->a);
	else
		ts_json_null(j);
	ts_json_key(j, "b");
	if (parts)
		ts_json_cell_value(j, &row->b);
	else
		ts_json_null(j);
	ts_json_count(j, "a_row_count", row->steps_a);
	ts_json_count(j, "b_row_count", row->steps_b);
	ts_json_known_count(j, "common_row_count", row->counted, row->common);
	ts_json_known_count(j, "only_a_row_count", row->counted, row->only_a);
	ts_json_known_count(j, "only_b_row_count", row->counted, row->only_b);
	ts_json_gap(j, "gap", &row->gap);
	ts_json_end(j);
}

static void side(struct ts_json *j, const char *key, uint64_t steps, int64_t first, int64_t last, const int32_t *ranks,
		 size_t n_ranks)
{
	ts_json_key(j, key);
	ts_json_object(j);
	ts_json_count(j, "step_count", steps);
	ts_json_known_step(j, "first_step", steps > 0, first);
	ts_json_known_step(j, "last_step", steps > 0, last);
	ts_json_ranks(j, "ranks", ranks, n_ranks);
	ts_json_end(j);
}

static bool decides(const struct ts_series_row *row)
{
	return row->state == TS_SERIES_PARTS && row->role != TS_ROLE_OBSERVATION;
}

static void texts(struct ts_json *j, const char *key, const char *const *items, size_t n)
{
	ts_json_key(j, key);
	ts_json_array(j);
	for (size_t i = 0; i < n; i++)
		ts_json_string(j, items[i]);
	ts_json_end(j);
}

static void reproduce(struct ts_json *j, const struct ts_reproduce *how)
{
	ts_json_key(j, "reproduce");
	if (!how) {
		ts_json_null(j);
		return;
	}
	ts_json_object(j);
	for (int i = 0; i < 2; i++) {
		const struct ts_reproduce_side *side = i ? &how->b : &how->a;

		ts_json_key(j, i ? "b" : "a");
		ts_json_object(j);
		texts(j, "commands", side->commands, side->n);
		texts(j, "missing", side->missing, side->n_missing);
		ts_json_end(j);
	}
	ts_json_end(j);
}

enum ts_status ts_render_diff_json(struct ts_cli *cli, const struct ts_diff *diff, struct ts_diff_view view,
				   const struct ts_reproduce *how, struct ts_error *err)
{
	struct ts_json json = ts_cli_json(cli), *j = &json;
	const struct ts_series_row *first = ts_diff_first(diff);

	ts_json_object(j);
	ts_json_key(j, "verdict");
	ts_json_string(j, ts_verdict_word(diff->verdict));
	ts_json_key(j, "reason");
	ts_json_span(j, diff->reason);
	ts_json_text(j, "axis", diff->axis);
	cut_offs(j, diff);
	if (ts_json_diagnosis(j, &diff->diagnosis, &cli->arena, err))
		return err->status;
	ts_json_run(j, "a", &diff->a);
	ts_json_run(j, "b", &diff->b);
	ts_json_key(j, "facts");
	ts_json_array(j);
	for (size_t i = 0; i < diff->n_facts && !view.first; i++)
		fact_row(j, &diff->facts[i]);
	ts_json_end(j);
	ts_json_key(j, "series");
	ts_json_array(j);
	for (size_t i = 0; i < diff->n_series; i++)
		if (!view.first || (decides(&diff->series[i]) && diff->series[i].first_step == first->first_step))
			series_row(j, &diff->series[i], diff->axis.len);
	ts_json_end(j);
	ts_json_count(j, "same_series_count", diff->n_same);
	side(j, "only_a", diff->steps_only_a, diff->only_a_first, diff->only_a_last, diff->ranks_only_a,
	     diff->n_ranks_only_a);
	side(j, "only_b", diff->steps_only_b, diff->only_b_first, diff->only_b_last, diff->ranks_only_b,
	     diff->n_ranks_only_b);
	ts_json_ops(j, &diff->ops);
	ts_json_repeats(j, &diff->repeats);
	ts_json_plots(j, &diff->plots);
	reproduce(j, how);
	ts_json_end(j);
	ts_cli_json_end(cli, j);
	return TS_OK;
}
