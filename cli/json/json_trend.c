/* json_trend.c - a trend as JSON: docs/schemas/trend.schema.json. */
#include "cli/json/json_trend.h"


#include "analysis/gate/trend.h"
#include "cli/core/context.h"
#include "cli/json/json_parts.h"

/* "before_s": in the unit of the metric. */
static void number(struct ts_cli *cli, struct ts_json *j, const char *name, enum ts_metric metric, double value)
{
	const char *key = ts_arena_printf(&cli->arena, "%s%s", name, ts_unit_suffix(ts_metrics[metric].unit));

	ts_json_key(j, key ? key : name);
	ts_json_double(j, value);
}

static void run(struct ts_cli *cli, struct ts_json *j, const struct ts_trend *t, const struct ts_trend_run *r)
{
	const char *key = ts_arena_printf(&cli->arena, "value%s", ts_unit_suffix(ts_metrics[t->metric].unit));

	ts_json_object(j);
	ts_json_id(j, "id", &r->id);
	ts_json_text(j, "commit", r->commit);
	ts_json_time(j, "moved", r->moved_ns);
	ts_json_key(j, key ? key : "value");
	if (r->known)
		ts_json_double(j, r->value);
	else
		ts_json_null(j);
	ts_json_text(j, "reason", r->reason);
	ts_json_key(j, "accepted");
	ts_json_bool(j, r->accepted);
	ts_json_text(j, "accept_reason", r->accept_reason);
	ts_json_end(j);
}

static void change(struct ts_cli *cli, struct ts_json *j, const struct ts_trend *t, const struct ts_trend_change *c)
{
	ts_json_object(j);
	ts_json_count(j, "at", c->at);
	ts_json_count(j, "last_before", c->last_before);
	ts_json_text(j, "commit_before", t->runs[c->last_before].commit);
	ts_json_text(j, "commit_after", t->runs[c->at].commit);
	ts_json_count(j, "runs_ago", t->n_runs - c->at);
	number(cli, j, "before", t->metric, c->before);
	number(cli, j, "after", t->metric, c->after);
	ts_json_key(j, "size_ratio");
	ts_json_double(j, c->size);
	ts_json_key(j, "p");
	ts_json_double(j, c->p);
	ts_json_key(j, "worse");
	ts_json_bool(j, c->worse);
	ts_json_key(j, "accepted");
	ts_json_bool(j, c->accepted);
	ts_json_end(j);
}

void ts_render_trend_json(struct ts_cli *cli, const struct ts_trend *t)
{
	struct ts_json writer = ts_cli_json(cli), *j = &writer;

	ts_json_object(j);
	ts_json_text(j, "sentence", t->sentence);
	ts_json_text(j, "branch", t->branch);
	ts_json_text(j, "metric", ts_span_str(ts_metrics[t->metric].name));
	ts_json_text(j, "workload", t->workload);
	ts_json_key(j, "newest_level_is_worse");
	ts_json_bool(j, ts_trend_is_worse(t));
	ts_json_count(j, "left_out", t->left_out);
	ts_json_count(j, "older", t->older);
	ts_json_key(j, "changes");
	ts_json_array(j);
	for (size_t i = 0; i < t->n_changes; i++)
		change(cli, j, t, &t->changes[i]);
	ts_json_end(j);
	ts_json_key(j, "runs");
	ts_json_array(j);
	for (size_t i = 0; i < t->n_runs; i++)
		run(cli, j, t, &t->runs[i]);
	ts_json_end(j);
	ts_json_end(j);
	ts_cli_json_end(cli, j);
}
