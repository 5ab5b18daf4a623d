/* json_analysis.c - an analysis as JSON: docs/schemas/analyze.schema.json. All of it, every number to the last bit. */
#include "cli/json/json_analysis.h"


#include "cli/core/context.h"
#include "cli/json/json_parts.h"
#include "cli/text/show_value.h"

#include <stdlib.h>

/* A row, and the places where its group and its subject come first. */
struct place {
	const struct ts_measure *row;
	size_t at, group, subject;
};

static int by_name(const void *x, const void *y)
{
	const struct place *a = x, *b = y;
	int c = ts_span_cmp(a->row->group, b->row->group);

	if (!c)
		c = ts_span_cmp(a->row->subject, b->row->subject);
	return c ? c : (a->at > b->at) - (a->at < b->at);
}

static int ascending(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

static int by_place(const void *x, const void *y)
{
	const struct place *a = x, *b = y;
	int c = ascending(a->group, b->group);

	if (!c)
		c = ascending(a->subject, b->subject);
	return c ? c : ascending(a->at, b->at);
}

/* Rows of a group and subject together, in the order in which these first come; later rows of a subject may stand apart. */
static struct place *places_of(const struct ts_measures *m, struct ts_arena *arena)
{
	struct place *places = ts_arena_array(arena, m->n, sizeof *places);

	if (!places)
		return NULL;
	for (size_t i = 0; i < m->n; i++)
		places[i] = (struct place){.row = &m->items[i], .at = i};
	qsort(places, m->n, sizeof *places, by_name);
	for (size_t i = 0, group = 0, subject = 0; i < m->n; i++) {
		bool new_group = i == 0 || !ts_span_eq(places[i].row->group, places[i - 1].row->group);

		if (new_group)
			group = i;
		if (new_group || !ts_span_eq(places[i].row->subject, places[i - 1].row->subject))
			subject = i;
		places[i].subject = places[subject].at;
		places[group].group =
			places[i].at < places[group].group || i == group ? places[i].at : places[group].group;
	}
	/* The least place of a group is known at its end. */
	for (size_t i = 0, group = 0; i < m->n; i++) {
		if (i == 0 || !ts_span_eq(places[i].row->group, places[i - 1].row->group))
			group = i;
		places[i].group = places[group].group;
	}
	qsort(places, m->n, sizeof *places, by_place);
	return places;
}

/* A whole number stays one where it is exact. */
static void measure_value(struct ts_json *j, const struct ts_measure *m)
{
	bool whole = m->value == floor(m->value) && fabs(m->value) < 9e15;

	if (!m->known)
		ts_json_null(j);
	else if (m->unit == TS_UNIT_TEXT)
		ts_json_span(j, m->text);
	else if (m->unit == TS_UNIT_COUNT && whole && m->value >= 0)
		ts_json_u64(j, (uint64_t)m->value);
	else if (m->unit == TS_UNIT_STEP && whole)
		ts_json_i64(j, (int64_t)m->value);
	else
		ts_json_double(j, m->value);
}

static void measure_key(struct ts_json *j, const struct ts_measure *m)
{
	struct ts_buf key = TS_BUF_INIT(8192);

	ts_buf_span(&key, m->name);
	ts_buf_str(&key, ts_measure_suffix(m));
	ts_json_key_span(j, ts_buf_view(&key));
	ts_buf_finish(&key);
}

enum ts_status ts_json_measures(struct ts_json *j, const char *key, const struct ts_measures *m, struct ts_arena *arena,
				struct ts_error *err)
{
	struct place *p = places_of(m, arena);

	if (!p)
		return ts_arena_error(arena, err);
	ts_json_key(j, key);
	ts_json_object(j);
	for (size_t i = 0; i < m->n; i++) {
		bool new_group = i == 0 || p[i].group != p[i - 1].group;

		if (i && (new_group || p[i].subject != p[i - 1].subject))
			ts_json_end(j);
		if (i && new_group)
			ts_json_end(j);
		if (new_group) {
			ts_json_key_span(j, p[i].row->group);
			ts_json_object(j);
		}
		if (new_group || p[i].subject != p[i - 1].subject) {
			ts_json_key_span(j, p[i].row->subject);
			ts_json_object(j);
		}
		measure_key(j, p[i].row);
		measure_value(j, p[i].row);
	}
	if (m->n) {
		ts_json_end(j);
		ts_json_end(j);
	}
	ts_json_end(j);
	return TS_OK;
}

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

void ts_json_unknown(struct ts_json *j, const char *key, const struct ts_measures *m)
{
	ts_json_key(j, key);
	ts_json_array(j);
	for (size_t i = 0; i < m->n; i++) {
		if (m->items[i].known)
			continue;
		ts_json_object(j);
		row_name(j, &m->items[i]);
		span(j, "reason", m->items[i].reason);
		ts_json_end(j);
	}
	ts_json_end(j);
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

/* On one line: an indented array of 480 numbers is a page. */
static void reals(struct ts_json *j, const char *key, const double *values, size_t n)
{
	int indent = j->indent;

	ts_json_key(j, key);
	j->indent = 0;
	ts_json_array(j);
	for (size_t i = 0; i < n; i++)
		ts_json_double(j, values[i]);
	ts_json_end(j);
	j->indent = indent;
}

static void counts(struct ts_json *j, const char *key, const uint64_t *values, size_t n)
{
	int indent = j->indent;

	ts_json_key(j, key);
	j->indent = 0;
	ts_json_array(j);
	for (size_t i = 0; i < n; i++)
		ts_json_u64(j, values[i]);
	ts_json_end(j);
	j->indent = indent;
}

void ts_json_plots(struct ts_json *j, const struct ts_plots *plots)
{
	ts_json_key(j, "plots");
	ts_json_array(j);
	for (size_t i = 0; i < plots->n; i++) {
		const struct ts_plot *p = &plots->items[i];

		ts_json_object(j);
		span(j, "group", p->group);
		span(j, "subject", p->subject);
		span(j, "name", p->name);
		unit(j, p->unit);
		step(j, "first_step", p->first_step);
		ts_json_count(j, "cell_step_count", p->width);
		reals(j, "min", p->min, p->n);
		reals(j, "max", p->max, p->n);
		reals(j, "mean", p->mean, p->n);
		counts(j, "count", p->count, p->n);
		ts_json_count(j, "nonfinite_count", p->nonfinite);
		ts_json_end(j);
	}
	ts_json_end(j);
}

static void bound(struct ts_json *j, const struct ts_bound *b)
{
	ts_json_key(j, "bound");
	ts_json_object(j);
	ts_json_key(j, "kind");
	ts_json_string(j, ts_bound_word(b->kind));
	ts_json_text(j, "sentence", b->sentence);
	ts_json_key(j, "shares");
	ts_json_array(j);
	for (size_t i = 0; i < sizeof b->shares / sizeof b->shares[0]; i++) {
		if (b->shares[i].kind == TS_BOUND_UNKNOWN)
			continue;
		ts_json_object(j);
		ts_json_key(j, "kind");
		ts_json_string(j, ts_bound_word(b->shares[i].kind));
		ts_json_key(j, "share_ratio");
		if (b->shares[i].known)
			ts_json_double(j, b->shares[i].share);
		else
			ts_json_null(j);
		ts_json_text(j, "reason", b->shares[i].known ? ts_span_of(NULL, 0) : b->shares[i].reason);
		ts_json_end(j);
	}
	ts_json_end(j);
	ts_json_key(j, "fixes");
	ts_json_array(j);
	for (size_t i = 0; i < b->n_fixes; i++) {
		ts_json_object(j);
		span(j, "name", b->fixes[i].name);
		span(j, "how", b->fixes[i].how);
		ts_json_key(j, "of");
		ts_json_string(j, ts_bound_word(b->fixes[i].of));
		ts_json_real(j, "wins_most_ratio", b->fixes[i].wins_most_ratio);
		step(j, "effort", b->fixes[i].effort);
		ts_json_end(j);
	}
	ts_json_end(j);
	ts_json_key(j, "unknowns");
	ts_json_array(j);
	for (size_t i = 0; i < b->n_unknowns; i++)
		ts_json_span(j, b->unknowns[i]);
	ts_json_end(j);
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
		measure_value(j, m);
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
	bound(j, &a->bound);
	findings(j, &a->findings);
	if (ts_json_measures(j, "measures", &a->measures, &cli->arena, err))
		return err->status;
	ts_json_unknown(j, "unknown", &a->measures);
	events(j, &a->events);
	ts_json_plots(j, &a->plots);
	ts_json_key(j, "notes");
	ts_json_array(j);
	for (size_t i = 0; i < a->n_notes; i++)
		ts_json_span(j, a->notes[i]);
	ts_json_end(j);
	ts_json_end(j);
	ts_cli_json_end(cli, j);
	return ts_buf_check(&cli->out, err);
}
