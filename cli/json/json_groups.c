/* json_groups.c - docs/schemas/list.schema.json, of list --by. */
#include "cli/json/json_list.h"

#include "cli/json/json_parts.h"
#include "cli/view/show_value.h"

static void stat(struct ts_json *j, struct ts_span column, const struct ts_group_stat *s)
{
	double sd;

	ts_json_key_span(j, column);
	ts_json_object(j);
	ts_json_count(j, "run_count", s->n);
	ts_json_key(j, "mean");
	if (s->n)
		ts_json_double(j, s->mean);
	else
		ts_json_null(j);
	ts_json_key(j, "sd");
	if (ts_group_sd(s, &sd))
		ts_json_double(j, sd);
	else
		ts_json_null(j);
	ts_json_end(j);
}

static void group(struct ts_json *j, const struct ts_groups *groups, const struct ts_run_group *g)
{
	ts_json_object(j);
	ts_json_key(j, "by");
	ts_json_object(j);
	for (size_t i = 0; i < groups->n_by; i++) {
		ts_json_key_span(j, groups->by[i]);
		if (g->by[i].known)
			ts_json_bare_fact(j, &g->by[i].value);
		else
			ts_json_null(j);
	}
	ts_json_end(j);
	ts_json_count(j, "run_count", g->runs);
	ts_json_key(j, "values");
	ts_json_object(j);
	for (size_t c = 0; c < groups->n_columns; c++)
		stat(j, groups->columns[c], &g->stats[c]);
	ts_json_end(j);
	ts_json_end(j);
}

void ts_render_groups_json(struct ts_cli *cli, const struct ts_listing *list, const struct ts_groups *groups, uint64_t limit)
{
	struct ts_json json = ts_cli_json(cli), *j = &json;

	ts_json_object(j);
	ts_json_key(j, "kind");
	ts_json_string(j, ts_ref_word(list->kind));
	ts_json_text(j, "project", list->project);
	ts_json_spans(j, "by", groups->by, groups->n_by);
	ts_json_spans(j, "columns", groups->columns, groups->n_columns);
	ts_json_key(j, "groups");
	ts_json_array(j);
	for (size_t i = 0; i < groups->n && i < limit; i++)
		group(j, groups, &groups->groups[i]);
	ts_json_end(j);
	ts_json_count(j, "group_count", groups->n);
	ts_json_spans(j, "unrecorded", list->unrecorded, list->n_unrecorded);
	ts_json_count(j, "unscored_count", list->unscored);
	ts_json_end(j);
	ts_cli_json_end(cli, j);
}
