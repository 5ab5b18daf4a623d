/* json_analysis.c - an analysis as JSON: docs/schemas/analyze.schema.json. All of it, every number to the last bit. */
#include "cli/json/json_analysis.h"

#include "cli/core/context.h"
#include "cli/json/json_parts.h"
#include "cli/text/show_value.h"

static void span(struct ts_json *j, const char *key, struct ts_span text)
{
	ts_json_key(j, key);
	ts_json_span(j, text);
}

static void step(struct ts_json *j, const char *key, int64_t at)
{
	ts_json_key(j, key);
	ts_json_i64(j, at);
}

/* "s", "bytes_per_step": as in keys; null for plain numbers. */
static void unit(struct ts_json *j, enum ts_unit unit)
{
	const char *suffix = ts_unit_suffix(unit);

	ts_json_key(j, "unit");
	ts_json_string(j, unit == TS_UNIT_TEXT ? "text" : *suffix ? suffix + 1 : NULL);
}

static void row_name(struct ts_json *j, const struct ts_measure *m)
{
	span(j, "group", m->group);
	span(j, "subject", m->subject);
	span(j, "name", m->name);
}

static void events(struct ts_json *j, const struct ts_events *events)
{
	ts_json_key(j, "events");
	ts_json_array(j);
	for (size_t i = 0; i < events->n; i++) {
		const struct ts_event *e = &events->items[i];

		ts_json_object(j);
		ts_json_key(j, "kind");
		ts_json_string(j, ts_event_word(e->kind));
		span(j, "group", e->group);
		span(j, "subject", e->subject);
		step(j, "first_step", e->first_step);
		step(j, "last_step", e->last_step);
		ts_json_real(j, "value", e->value);
		ts_json_real(j, "expected", e->expected);
		ts_json_real(j, "score", e->score);
		ts_json_end(j);
	}
	ts_json_end(j);
}

static void plots(struct ts_json *j, const struct ts_plots *plots)
{
	ts_json_key(j, "plots");
	ts_json_array(j);
	for (size_t i = 0; i < plots->n; i++)
		(void)ts_shape_json(&ts_shape_plot, &plots->items[i], j, NULL, NULL);
	ts_json_end(j);
}

static void evidence(struct ts_json *j, const struct ts_finding *f)
{
	ts_json_key(j, "evidence");
	ts_json_array(j);
	for (size_t i = 0; i < f->n_evidence; i++) {
		const struct ts_measure *m = &f->evidence[i];

		ts_json_object(j);
		row_name(j, m);
		unit(j, m->unit);
		ts_json_key(j, "value");
		ts_json_measure_value(j, m);
		ts_json_text(j, "reason", m->known ? ts_span_of(NULL, 0) : m->reason);
		ts_json_end(j);
	}
	ts_json_end(j);
}

static void findings(struct ts_json *j, const struct ts_findings *findings)
{
	ts_json_key(j, "findings");
	ts_json_array(j);
	for (size_t i = 0; i < findings->n; i++) {
		const struct ts_finding *f = &findings->items[i];

		ts_json_object(j);
		span(j, "code", f->code);
		ts_json_key(j, "severity");
		ts_json_string(j, ts_severity_word(f->severity));
		span(j, "title", f->title);
		span(j, "detail", f->detail);
		span(j, "advice", f->advice);
		ts_json_key(j, "first_step");
		if (f->has_steps)
			ts_json_i64(j, f->first_step);
		else
			ts_json_null(j);
		ts_json_key(j, "last_step");
		if (f->has_steps)
			ts_json_i64(j, f->last_step);
		else
			ts_json_null(j);
		ts_json_ranks(j, "ranks", f->ranks, f->n_ranks);
		evidence(j, f);
		ts_json_end(j);
	}
	ts_json_end(j);
	ts_json_key(j, "unchecked");
	ts_json_array(j);
	for (size_t i = 0; i < findings->n_unchecked; i++) {
		ts_json_object(j);
		span(j, "code", findings->unchecked[i].code);
		span(j, "reason", findings->unchecked[i].reason);
		ts_json_end(j);
	}
	ts_json_end(j);
}

enum ts_status ts_render_analysis_json(struct ts_cli *cli, const struct ts_analysis *a, struct ts_error *err)
{
	struct ts_json json = ts_cli_json(cli), *j = &json;

	ts_json_object(j);
	ts_json_run(j, "run", &a->run);
	ts_json_key(j, "rank");
	ts_json_i64(j, a->rank);
	ts_json_count(j, "warmup_cut_count", a->warmup_cut);
	ts_json_key(j, "bound");
	(void)ts_shape_json(&ts_shape_bound, &a->bound, j, NULL, NULL);
	findings(j, &a->findings);
	ts_json_key(j, "measures");
	if (ts_shape_json(&ts_shape_measures, &a->measures, j, &cli->arena, err))
		return err->status;
	ts_json_key(j, "unknown");
	(void)ts_shape_json(&ts_shape_unknown, &a->measures, j, NULL, NULL);
	events(j, &a->events);
	plots(j, &a->plots);
	ts_json_key(j, "notes");
	ts_json_array(j);
	for (size_t i = 0; i < a->n_notes; i++)
		ts_json_span(j, a->notes[i]);
	ts_json_end(j);
	ts_json_end(j);
	ts_cli_json_end(cli, j);
	return ts_buf_check(&cli->out, err);
}
