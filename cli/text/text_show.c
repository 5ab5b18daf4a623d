/* text_show.c - what a run is, as text. */
#include "cli/text/text_show.h"

#include "analysis/answer/chart.h"
#include "base/limits.h"
#include "base/order.h"
#include "base/uri.h"
#include "cli/core/listing.h"
#include "cli/text/show_happening.h"
#include "cli/text/text_parts.h"
#include "cli/text/text_resume.h"
#include "cli/view/show_copy.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"
#include "run/ending.h"
#include "run/file_path.h"

#include <math.h>

static const char *group_counts(struct ts_cli *cli, const struct ts_facts *facts)
{
	size_t counts[TS_GROUPS];
	const char *text = "";

	ts_facts_by_group(facts, counts);
	for (int g = 0; g < TS_GROUPS && text; g++)
		if (counts[g])
			text = ts_arena_printf(&cli->arena, "%s%s%s %zu", text, *text ? ", " : "", ts_group_name((enum ts_group)g),
					       counts[g]);
	return text && !*text ? "none" : text;
}

/* Joins our own words and a foreign word. Returns NULL if the arena is full. */
static const char *joined(struct ts_cli *cli, const char *a, const char *b, const char *c, const char *d, struct ts_span foreign)
{
	const char *safe = ts_show_text(foreign, &cli->arena);

	return a && safe ? ts_arena_printf(&cli->arena, "%s%s%s%s%s", a, b, c, d, safe) : NULL;
}

static const char *names_of(struct ts_cli *cli, const struct ts_get_reply *run)
{
	const char *text = "";

	for (size_t i = 0; i < run->n_names && text; i++)
		text = joined(cli, text, i ? ", " : "", ts_ref_word(run->names[i].kind), " ", run->names[i].name);
	return text && !*text ? "none" : text;
}

/* --- numbers --- */

/* Where a series stands in the answer: what was computed, what it cost, numbers whose names say neither, the rest. */
enum series_group { METRICS, COSTS, OTHERS, LAYERS, NOT_SHOWN, NO_NUMBERS };

/* The layer of "scalars.layers/NAME/forward_ms"; empty: it is the time of no layer. */
static struct ts_span layer_of(struct ts_span name, bool *ret_backward)
{
	static const char before[] = "scalars.layers/", forward[] = "/forward_ms", backward[] = "/backward_ms";
	size_t end = ts_span_ends(name, backward) ? sizeof backward - 1 : sizeof forward - 1;

	*ret_backward = ts_span_ends(name, backward);
	if (!ts_span_starts(name, ts_span_str(before)) || !(*ret_backward || ts_span_ends(name, forward)) ||
	    name.len < sizeof before + end)
		return ts_span_of(NULL, 0);
	return ts_span_part(name, sizeof before - 1, name.len - (sizeof before - 1) - end);
}

/* The mean of wall-clock times says nothing to people. */
static enum series_group group_of(const struct ts_column_info *c)
{
	bool backward;

	if (!c->has_metric)
		return NO_NUMBERS;
	if (ts_span_is(c->name, "timestamp"))
		return NOT_SHOWN;
	if (layer_of(c->name, &backward).len)
		return LAYERS;
	return c->role == TS_ROLE_TRAJECTORY ? METRICS : c->role == TS_ROLE_OBSERVATION ? COSTS : OTHERS;
}

/* A value with its unit where the name of its series says which that is; six digits are enough for people, JSON has all of them. */
static const char *value_of(struct ts_cli *cli, const struct ts_column_info *c, double v)
{
	struct ts_measure m = {.unit = ts_chart_unit(c->name), .known = true, .value = v};

	if (ts_span_ends(c->name, "_ms") && m.unit == TS_UNIT_NONE)
		m = (struct ts_measure){.unit = TS_UNIT_SECONDS, .known = true, .value = v / 1e3};
	if (ts_span_ends(c->name, "_bytes"))
		m.unit = TS_UNIT_BYTES;
	if (m.unit != TS_UNIT_NONE)
		return ts_show_measure(&m, &cli->arena);
	if (v >= 1e4 && v < 1e15 && v == floor(v))
		return ts_show_count((uint64_t)v, &cli->arena);
	return ts_show_rounded(v, &cli->arena);
}

static void add_number(struct ts_cli *cli, struct ts_view *view, const struct ts_column_info *c, bool known, double v)
{
	ts_view_text(view, known ? TS_STYLE_PLAIN : TS_STYLE_DIM, known ? value_of(cli, c, v) : "-");
}

static void add_best(struct ts_cli *cli, struct ts_view *view, const struct ts_column_info *c)
{
	const char *best = c->metric.has_best ? value_of(cli, c, c->metric.best) : "-";
	const char *step = ts_show_step(c->metric.best_step, &cli->arena);

	if (c->metric.has_best)
		best = best && step ? ts_arena_printf(&cli->arena, "%s (%s)", best, step) : NULL;
	ts_view_text(view, c->metric.has_best ? TS_STYLE_PLAIN : TS_STYLE_DIM, best);
}

/* Whether the series has other rows than the run has steps. */
static bool has_gaps(const struct ts_get_reply *run, const struct ts_column_info *c)
{
	return c->rows != run->run.steps || c->first_key != run->run.first_step || c->last_key != run->run.last_step ||
	       c->ranks != run->run.ranks;
}

/* "12 (0 to 396)", and of which ranks, where that is not all of the run. */
static const char *steps_of(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_column_info *c)
{
	const char *rows = ts_show_count(c->rows, &cli->arena), *ranks = "";
	const char *range = c->rows ? ts_show_range(c->first_key, c->last_key, &cli->arena) : "";

	if (!has_gaps(run, c))
		return "";
	if (c->ranks != run->run.ranks)
		ranks = ts_show_plural(c->ranks, "rank", &cli->arena);
	if (!rows || !range || !ranks)
		return NULL;
	return ts_arena_printf(&cli->arena, "%s%s%s%s%s%s", rows, *range ? " (" : "", range, *range ? ")" : "", *ranks ? ", " : "",
			       ranks);
}

/* What a group's table has, column by column; the series' name comes first. */
enum figure { LAST, BEST, MEAN, MIN, MAX, NONFINITE, STEPS };

static void add_figure(struct ts_cli *cli, struct ts_view *view, const struct ts_get_reply *run, const struct ts_column_info *c,
		       enum figure figure)
{
	const struct ts_column_metric *m = &c->metric;

	switch (figure) {
	case LAST:
		add_number(cli, view, c, m->has_values, m->last);
		return;
	case BEST:
		add_best(cli, view, c);
		return;
	case MEAN:
		add_number(cli, view, c, m->has_mean, m->mean);
		return;
	case MIN:
		add_number(cli, view, c, m->has_values, m->min);
		return;
	case MAX:
		add_number(cli, view, c, m->has_values, m->max);
		return;
	case NONFINITE:
		ts_view_text(view, m->nonfinite ? TS_STYLE_PLAIN : TS_STYLE_DIM, ts_show_count(m->nonfinite, &cli->arena));
		return;
	case STEPS:
		ts_view_text(view, TS_STYLE_PLAIN, steps_of(cli, run, c));
		return;
	}
}

/* A table of the series of one group; figures: as many as heads, of which the first is the name of the group. */
struct group_table {
	enum series_group group;
	const char *head;
	enum figure figures[7];
	size_t n;
};

/* Which figures the rows of the group have; returns how many, 0 if it has no rows. */
static size_t figures_of(const struct ts_get_reply *run, const struct group_table *t, enum figure figures[7])
{
	bool any = false, nonfinite = false, gaps = false;
	size_t n = 0;

	for (size_t i = 0; i < run->n_columns; i++) {
		if (group_of(&run->columns[i]) != t->group)
			continue;
		any = true;
		nonfinite |= run->columns[i].metric.nonfinite > 0;
		gaps |= has_gaps(run, &run->columns[i]);
	}
	for (size_t k = 0; any && k < t->n; k++)
		if ((t->figures[k] != NONFINITE || nonfinite) && (t->figures[k] != STEPS || gaps))
			figures[n++] = t->figures[k];
	return n;
}

static void fill_view(struct ts_cli *cli, const struct ts_get_reply *run, const struct group_table *t, const enum figure *figures,
		      size_t n, struct ts_view_column columns[8], struct ts_view *view)
{
	static const struct ts_view_column of[] = {
		[LAST] = TS_RIGHT("last"), [BEST] = TS_RIGHT("best (step)"),	 [MEAN] = TS_RIGHT("mean"),	[MIN] = TS_RIGHT("min"),
		[MAX] = TS_RIGHT("max"),   [NONFINITE] = TS_RIGHT("NaN or inf"), [STEPS] = TS_LEFT("steps", 0),
	};

	columns[0] = (struct ts_view_column)TS_NAMED(t->head, 12);
	for (size_t k = 0; k < n; k++)
		columns[k + 1] = of[figures[k]];
	ts_view_init(view, columns, n + 1, &cli->arena);
	for (size_t i = 0; i < run->n_columns; i++) {
		if (group_of(&run->columns[i]) != t->group)
			continue;
		ts_view_text(view, TS_STYLE_PLAIN, ts_show_text(ts_column_said(run->columns[i].name), &cli->arena));
		for (size_t k = 0; k < n; k++)
			add_figure(cli, view, run, &run->columns[i], figures[k]);
	}
}

/* Leaves out the figure that a narrow terminal can do without first; false: there is none. The first figure of a group stays. */
static bool leave_out(enum figure figures[7], size_t *n)
{
	static const enum figure less[] = {MEAN, MIN, MAX};

	for (size_t i = 0; i < sizeof less / sizeof less[0]; i++)
		for (size_t k = 1; k < *n; k++)
			if (figures[k] == less[i]) {
				memmove(&figures[k], &figures[k + 1], (*n - k - 1) * sizeof figures[0]);
				(*n)--;
				return true;
			}
	return false;
}

/* One line a series, where the terminal has room for two figures. */
static enum ts_status group_table(struct ts_cli *cli, const struct ts_get_reply *run, const struct group_table *t, struct ts_error *err)
{
	struct ts_view_column columns[8];
	enum figure figures[7];
	size_t n = figures_of(run, t, figures);
	struct ts_view view;

	if (n == 0)
		return TS_OK;
	do
		fill_view(cli, run, t, figures, n, columns, &view);
	while (!ts_view_fits(&view, &cli->term, 0) && leave_out(figures, &n));
	ts_buf_char(&cli->out, '\n');
	return ts_view_print(&view, &cli->term, 0, &cli->out, err);
}

static enum ts_status number_tables(struct ts_cli *cli, const struct ts_get_reply *run, struct ts_error *err)
{
	static const struct group_table tables[] = {
		{METRICS, "metric", {LAST, BEST, MEAN, MIN, MAX, NONFINITE, STEPS}, 7},
		{COSTS, "cost", {MEAN, MIN, MAX, LAST, NONFINITE, STEPS}, 6},
		{OTHERS, "other number", {LAST, MEAN, MIN, MAX, NONFINITE, STEPS}, 6},
	};

	for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
		if (group_table(cli, run, &tables[i], err))
			return err->status;
	return TS_OK;
}

/* --- layers --- */

/* A layer's mean times, in ms as they are recorded; NaN: not recorded. */
struct layer {
	struct ts_span name;
	double forward, backward;
};

static double time_of(const struct layer *l)
{
	return (isnan(l->forward) ? 0 : l->forward) + (isnan(l->backward) ? 0 : l->backward);
}

TS_ORDER(by_time, struct layer, TS_DOWN_OF(time_of); TS_TEXT(name))

static size_t gather_layers(const struct ts_get_reply *run, struct layer *layers)
{
	size_t n = 0;

	for (size_t i = 0; i < run->n_columns; i++) {
		const struct ts_column_info *c = &run->columns[i];
		bool backward;
		struct ts_span name = layer_of(c->name, &backward);

		if (group_of(c) != LAYERS)
			continue;
		/* Columns are sorted by name, so that a layer's two times stand beside each other. */
		if (!n || !ts_span_eq(layers[n - 1].name, name))
			layers[n++] = (struct layer){name, NAN, NAN};
		if (c->metric.has_mean)
			*(backward ? &layers[n - 1].backward : &layers[n - 1].forward) = c->metric.mean;
	}
	return n;
}

static void add_ms(struct ts_cli *cli, struct ts_view *view, double ms)
{
	ts_view_text(view, isnan(ms) ? TS_STYLE_DIM : TS_STYLE_PLAIN, isnan(ms) ? "-" : ts_show_seconds(ms / 1e3, &cli->arena));
}

static const char *more_layers(struct ts_cli *cli, size_t n)
{
	const char *more = ts_arena_printf(&cli->arena, "%zu more layer%s; --json has all of them", n, n == 1 ? "" : "s");

	return more ? more : "";
}

/* The name as the program wrote it: in the name of a series a dot of it is escaped. */
static const char *layer_name(struct ts_cli *cli, struct ts_span escaped)
{
	struct ts_span name;
	size_t at = 0, index;
	bool is_index;

	if (!ts_path_next(escaped, &at, &cli->arena, &name, &is_index, &index) || is_index)
		name = escaped;
	return ts_show_text(name, &cli->arena);
}

static enum ts_status layers_table(struct ts_cli *cli, const struct ts_get_reply *run, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {TS_NAMED("layer", 12), TS_RIGHT("forward"), TS_RIGHT("backward")};
	enum { SHOWN = 10 };
	struct layer *layers = ts_arena_array(&cli->arena, run->n_columns + 1, sizeof *layers);
	struct ts_view view;
	size_t n;

	if (!layers)
		return ts_arena_error(&cli->arena, err);
	n = gather_layers(run, layers);
	if (n == 0)
		return TS_OK;
	TS_SORT(layers, n, by_time);
	ts_buf_char(&cli->out, '\n');
	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (size_t i = 0; i < n && i < SHOWN; i++) {
		ts_view_text(&view, TS_STYLE_PLAIN, layer_name(cli, layers[i].name));
		add_ms(cli, &view, layers[i].forward);
		add_ms(cli, &view, layers[i].backward);
	}
	if (ts_view_print(&view, &cli->term, 0, &cli->out, err))
		return err->status;
	if (n > SHOWN)
		ts_text_wrapped(cli, TS_STYLE_DIM, 0, more_layers(cli, n - SHOWN));
	return TS_OK;
}

/* --- events --- */

static enum ts_status events_table(struct ts_cli *cli, const struct ts_get_reply *run, struct ts_error *err)
{
	const struct ts_happenings *h = &run->happenings;
	struct ts_view view;

	if (!run->has_happenings || !h->n)
		return TS_OK;
	ts_buf_char(&cli->out, '\n');
	ts_view_happenings(&view, h, run->run.ranks, &cli->arena);
	if (ts_view_print(&view, &cli->term, 0, &cli->out, err))
		return err->status;
	if (h->more) {
		const char *more = ts_arena_printf(&cli->arena, "and %" PRIu64 " more", h->more);

		ts_text_wrapped(cli, TS_STYLE_DIM, 0, more ? more : "");
	}
	return ts_arena_check(&cli->arena, err);
}

/* --- what is no number of a step --- */

/* The rows of other tables than that of steps are counted once, and not for each of their columns. */
static void add_table(struct ts_cli *cli, struct ts_view *view, const struct ts_get_reply *run, size_t *io_at)
{
	const struct ts_column_info *first = &run->columns[*io_at];
	uint64_t rows = 0;
	uint32_t ranks = 0;
	size_t n = 0;

	for (; *io_at < run->n_columns && run->columns[*io_at].table == first->table; (*io_at)++, n++) {
		rows = run->columns[*io_at].rows_all > rows ? run->columns[*io_at].rows_all : rows;
		ranks = run->columns[*io_at].ranks > ranks ? run->columns[*io_at].ranks : ranks;
	}
	ts_view_row(view, NULL);
	ts_view_set(view, "series", TS_STYLE_PLAIN, ts_arena_printf(&cli->arena, "(%s)", ts_table_word(first->table)));
	ts_view_set(view, "type", TS_STYLE_PLAIN, ts_show_plural(n, "column", &cli->arena));
	ts_view_set(view, "ranks", TS_STYLE_PLAIN, ts_show_count(ranks, &cli->arena));
	ts_view_set(view, "rows", TS_STYLE_PLAIN, ts_show_count(rows, &cli->arena));
	ts_view_set(view, "steps", TS_STYLE_PLAIN, "");
}

static void add_series(struct ts_cli *cli, struct ts_view *view, const struct ts_column_info *c)
{
	ts_view_row(view, NULL);
	ts_view_set(view, "series", TS_STYLE_PLAIN, ts_show_text(c->name, &cli->arena));
	ts_view_set(view, "type", TS_STYLE_PLAIN, ts_column_type_word(c->type));
	ts_view_set(view, "ranks", TS_STYLE_PLAIN, ts_show_count(c->ranks, &cli->arena));
	ts_view_set(view, "rows", TS_STYLE_PLAIN, ts_show_count(c->rows_all, &cli->arena));
	ts_view_set(view, "steps", TS_STYLE_PLAIN, c->rows ? ts_show_range(c->first_key, c->last_key, &cli->arena) : "");
}

static enum ts_status series_table(struct ts_cli *cli, const struct ts_get_reply *run, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {TS_NAMED("series", 14), TS_LEFT("type", 0), TS_RIGHT("ranks"), TS_RIGHT("rows"),
							TS_LEFT("steps", 0)};
	struct ts_view view;

	if (run->n_columns == 0) {
		ts_buf_str(&cli->out, "\nThe run has no series.\n");
		return TS_OK;
	}
	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (size_t i = 0; i < run->n_columns;) {
		const struct ts_column_info *c = &run->columns[i];

		if (c->table != TS_TABLE_STEPS && !(c->table == TS_TABLE_EVENTS && run->has_happenings)) {
			add_table(cli, &view, run, &i);
			continue;
		}
		if (c->table == TS_TABLE_STEPS && group_of(c) == NO_NUMBERS)
			add_series(cli, &view, c);
		i++;
	}
	if (!ts_view_n(&view))
		return TS_OK;
	ts_buf_char(&cli->out, '\n');
	return ts_view_print(&view, &cli->term, 0, &cli->out, err);
}

/* Where a page gives the file. */
static const char *address_of(const struct ts_get_reply *run, const struct ts_file_info *file, struct ts_arena *arena)
{
	struct ts_buf out = TS_BUF_INIT(TS_TEXT_MAX);
	const char *at = ts_show_link("file/", &run->run.id, arena);

	ts_buf_str(&out, at ? at : "");
	ts_buf_str(&out, "?file=");
	ts_uri_encode(&out, ts_file_path(file->name, arena), true);
	if (file->rank != TS_RANK_JOB)
		ts_buf_printf(&out, "&rank=%d", (int)file->rank);
	at = out.failed ? NULL : ts_arena_printf(arena, "%.*s", (int)out.len, (const char *)out.data);
	ts_buf_finish(&out);
	return at;
}

static enum ts_status files_table(struct ts_cli *cli, const struct ts_get_reply *run, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {TS_LEFT("file", 16), TS_LEFT("rank", 0), TS_RIGHT("size")};
	struct ts_view view;

	if (run->n_files == 0)
		return TS_OK;
	ts_buf_char(&cli->out, '\n');
	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	for (size_t i = 0; i < run->n_files; i++) {
		ts_view_row(&view, NULL);
		ts_view_set_span(&view, "file", TS_STYLE_PLAIN, ts_file_path(run->files[i].name, &cli->arena));
		ts_view_lead(&view, "file", address_of(run, &run->files[i], &cli->arena));
		ts_view_set(&view, "rank", TS_STYLE_PLAIN,
			    run->files[i].rank == TS_RANK_JOB ? "job" : ts_show_step(run->files[i].rank, &cli->arena));
		ts_view_set(&view, "size", TS_STYLE_PLAIN, ts_show_bytes((double)run->files[i].size, &cli->arena));
	}
	return ts_view_print(&view, &cli->term, 0, &cli->out, err);
}

/* Says "default/base, resumed at step 500; 3 of 8 blocks ...". */
static const char *lineage_of(struct ts_cli *cli, const struct ts_lineage *l)
{
	const char *name = ts_show_text(l->parent, &cli->arena), *shared = ts_show_lineage(l, &cli->arena);
	const char *at = l->has_step ? ts_arena_printf(&cli->arena, ", resumed at step %s", ts_show_step(l->step, &cli->arena)) : "";

	return name && at && shared ? ts_arena_printf(&cli->arena, "%s%s; %s", name, at, shared) : NULL;
}

static struct ts_span note_of(const struct ts_get_reply *run, const char *key)
{
	for (size_t i = 0; i < run->n_notes; i++)
		if (ts_span_is(run->notes[i].key, key))
			return run->notes[i].value;
	return ts_span_of(NULL, 0);
}

/* The state that people or a push noted, and what was recorded of the end: each where it says something that the other does not. */
static void end_fields(struct ts_cli *cli, const struct ts_get_reply *run)
{
	const struct ts_ending *ending = &run->ending;
	struct ts_span state = note_of(run, "state");
	enum ts_end_state noted;
	bool known = ts_end_state_of(state, &noted);

	if (known && noted == TS_END_UNKNOWN && !ending->sentence.len && ending->state != TS_END_FINISHED) {
		ts_text_field(cli, "state", "unknown: nothing that was recorded says how the run ended");
		return;
	}
	if (state.len)
		ts_text_field(cli, "state", ts_show_text(state, &cli->arena));
	if (ending->sentence.len)
		ts_text_field(cli, "ended", ts_show_text(ending->sentence, &cli->arena));
	else if (ending->state != TS_END_FINISHED)
		ts_text_field(cli, "ended", "not known: nothing that was recorded says it");
	else if (!known || noted != TS_END_FINISHED)
		ts_text_field(cli, "ended", "finished");
}

static bool fact_number(const struct ts_facts *facts, const char *path, double *ret)
{
	const struct ts_fact *fact = ts_facts_find(facts, ts_span_str(path));

	if (fact && fact->type == TS_FACT_FLOAT)
		*ret = fact->real;
	else if (fact && fact->type == TS_FACT_INT)
		*ret = (double)fact->integer;
	else
		return false;
	return isfinite(*ret);
}

/* When it began and how long it took, as far as that was recorded. */
static void start_field(struct ts_cli *cli, const struct ts_facts *facts)
{
	double started, took;
	const char *text = "", *seconds = "";

	if (fact_number(facts, "session.started", &started) && fabs(started) < 9e9)
		text = ts_show_minute((int64_t)(started * 1e9), &cli->arena);
	if (fact_number(facts, "session.wall_time", &took) && took >= 0)
		seconds = ts_show_seconds(took, &cli->arena);
	if (text && seconds && *text && *seconds)
		text = ts_arena_printf(&cli->arena, "%s, took %s", text, seconds);
	else if (text && seconds && *seconds)
		text = ts_arena_printf(&cli->arena, "not recorded; it took %s", seconds);
	if (!text || *text)
		ts_text_field(cli, "started", text);
}

/* Notes without the state, which has a field of its own. */
static void note_fields(struct ts_cli *cli, const struct ts_get_reply *run)
{
	bool any = false;

	for (size_t i = 0; i < run->n_notes; i++) {
		if (ts_span_is(run->notes[i].key, "state"))
			continue;
		ts_text_field(cli, any ? "" : "notes",
			      joined(cli, ts_show_text(run->notes[i].key, &cli->arena), " = ", "", "", run->notes[i].value));
		any = true;
	}
}

/* Rows of events that have this column, over all ranks. */
static uint64_t events_with(const struct ts_get_reply *run, const char *name)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < run->n_columns; i++)
		if (run->columns[i].table == TS_TABLE_EVENTS && ts_span_is(run->columns[i].name, name))
			rows += run->columns[i].rows_all;
	return rows;
}

/* "4 recorded events; 240 regions are not listed"; NULL: it recorded none. An older server does not say which. */
static const char *events_of(struct ts_cli *cli, const struct ts_get_reply *run)
{
	const struct ts_happenings *h = &run->happenings;
	uint64_t all = events_with(run, "name"), regions = events_with(run, "duration");
	const char *events = ts_show_count(all > regions ? all - regions : 0, &cli->arena);
	const char *more = regions ? ts_show_plural(regions, "region", &cli->arena) : "";

	if (run->has_happenings)
		return h->all || h->regions ? ts_show_happenings(h, &cli->arena) : NULL;
	if (all <= regions || !events || !more)
		return NULL;
	return ts_arena_printf(&cli->arena, "%s%s%s; tscope analyze lists those that matter", events, regions ? ", and " : "", more);
}

enum ts_status ts_render_show_text(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_head *head, struct ts_error *err)
{
	const struct ts_run_ref *ref = &run->run;
	struct ts_arena *arena = &cli->arena;
	const char *steps = ts_show_count(ref->steps, arena);
	const char *range = ref->steps ? ts_show_range(ref->first_step, ref->last_step, arena) : NULL;

	if (!steps)
		return ts_arena_error(arena, err);
	if (run->copy.of.len)
		ts_text_field(cli, "copy of", ts_show_copy(&run->copy, arena));
	ts_text_field(cli, "id", ts_show_hex(&ref->id, arena));
	ts_text_field(cli, "own name", ref->own_name.len ? ts_show_text(ref->own_name, arena) : "not recorded");
	ts_text_field(cli, "names", names_of(cli, run));
	end_fields(cli, run);
	start_field(cli, &head->facts);
	ts_text_field(cli, "steps", range ? ts_arena_printf(arena, "%s (%s)", steps, range) : "none");
	ts_text_field(cli, "ranks", ts_show_count(ref->ranks, arena));
	if (events_of(cli, run))
		ts_text_field(cli, "events", events_of(cli, run));
	if (run->n_missing)
		ts_text_field(cli, "missing",
			      ts_arena_printf(arena, "%s %s", run->n_missing == 1 ? "rank" : "ranks",
					      ts_show_ranks(run->missing_ranks, run->n_missing < 64 ? run->n_missing : 64,
							    run->n_missing, arena)));
	if (run->lineage.named)
		ts_text_field(cli, "parent", lineage_of(cli, &run->lineage));
	if (run->lineage.found) {
		const char *resumed = ts_show_link("check-resume/", &ref->id, arena);

		ts_text_link(cli, "The parent", ts_show_link("r/", &run->lineage.id, arena));
		ts_text_link(cli, "Did it resume correctly?",
			     resumed ? ts_show_link(ts_arena_printf(arena, "%s..", resumed), &run->lineage.id, arena) : NULL);
	}
	ts_text_field(cli, "facts", group_counts(cli, &head->facts));
	note_fields(cli, run);
	if (events_table(cli, run, err) || number_tables(cli, run, err) || layers_table(cli, run, err) || series_table(cli, run, err))
		return err->status;
	return files_table(cli, run, err);
}
