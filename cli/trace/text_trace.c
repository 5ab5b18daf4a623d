/* text_trace.c - what a profiler's trace says, as text. Times are milliseconds with all their digits: what is exact is shown so. */
#include "analysis/trace/device/kernel.h"
#include "cli/text/grid.h"
#include "cli/text/show_value.h"
#include "cli/text/text_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/trace_cells.h"

enum { STEPS_SHOWN = 32, OTHERS_SHOWN = 3 };

/* --- who it is --- */

static const char *who(struct ts_cli *cli, const struct ts_trace_answer *a)
{
	const char *text = "", *backend = ts_show_text(a->backend, &cli->arena), *device = ts_show_text(a->device_name, &cli->arena);

	if (!backend || !device)
		return NULL;
	if (a->has_rank)
		text = ts_arena_printf(&cli->arena, "rank %" PRId64, a->rank);
	if (text && a->has_world_size)
		text = ts_arena_printf(&cli->arena, "%s of %" PRId64, *text ? text : "one", a->world_size);
	if (text && *backend)
		text = ts_arena_printf(&cli->arena, "%s%s%s", text, *text ? ", " : "an unknown rank, ", backend);
	if (text && *device)
		text = ts_arena_printf(&cli->arena, "%s%s%s", text, *text ? ", on " : "on ", device);
	return text && !*text ? "the trace says neither rank nor device" : text;
}

static void recorded(struct ts_cli *cli, const struct ts_trace_answer *a)
{
	const char *text = ts_trace_recorded_text(&a->recorded, &cli->arena);

	if (text && *text)
		ts_text_field(cli, "recorded", text);
}

static const char *copies(struct ts_cli *cli, uint64_t n)
{
	const char *text = ts_arena_printf(&cli->arena, "%s copies", ts_trace_count(cli, n));

	return text ? text : "";
}

static const char *contents(struct ts_cli *cli, const struct ts_trace_answer *a)
{
	return ts_arena_printf(&cli->arena, "%s%s: %s, %s, %s, %s; %s, %s, %s; %s, %s, %s", ts_trace_plural(cli, a->events, "event"),
			       a->warmup.steps ? ", and after the warm-up" : "",
			       ts_trace_plural(cli, a->operators, "operator"), ts_trace_plural(cli, a->python, "Python function"),
			       ts_trace_plural(cli, a->annotations, "annotation"), ts_trace_plural(cli, a->runtime, "runtime call"),
			       ts_trace_plural(cli, a->kernels, "kernel"), a->copies == 1 ? "1 copy" : copies(cli, a->copies),
			       ts_trace_plural(cli, a->fills, "fill"), ts_trace_plural(cli, a->flows, "flow"),
			       ts_trace_plural(cli, a->allocations, "allocation"), ts_trace_plural(cli, a->counters, "counter"));
}

/* Spans that nothing is said of: what a device did may be among them. */
static const char *others(struct ts_cli *cli, const struct ts_trace_answer *a)
{
	const char *text = "";

	for (size_t i = 0; text && i < a->n_others && i < OTHERS_SHOWN; i++) {
		const char *category = ts_show_text(a->others[i].category, &cli->arena);

		text = ts_arena_printf(&cli->arena, "%s%s%s %s", text, i ? ", " : "", ts_trace_count(cli, a->others[i].count),
				       !category ? "" : *category ? category : "without a category");
	}
	if (a->n_others > OTHERS_SHOWN)
		text = ts_arena_printf(&cli->arena, "%s, and others", text);
	return ts_arena_printf(&cli->arena, "%s: spans of categories that are not read; they count as no work of a device", text);
}

/* Of what the figures are. */
static const char *over(struct ts_cli *cli, const struct ts_trace_answer *a)
{
	const struct ts_trace_warmup *w = &a->warmup;
	const char *steps = ts_trace_plural(cli, a->lines.n_steps, "step");
	const char *from = a->lines.n_steps ? ts_show_step(a->lines.steps[0].number, &cli->arena) : "";

	if (w->steps)
		return ts_arena_printf(&cli->arena,
				       "the last %s of %" PRIu64 ", from step %s on. Left out of every figure as warm-up: the first "
				       "%s, %s of devices that %s launched before step %s began, and what the host began before",
				       steps, w->marked, from, w->steps == 1 ? "step" : ts_trace_plural(cli, w->steps, "step"),
				       ts_trace_plural(cli, w->events, "event"), w->events == 1 ? "was" : "were", from);
	if (!a->lines.n_steps)
		return "all of the trace, which marks no steps (ProfilerStep)";
	if (a->lines.n_steps == 1)
		return "all of the trace, with its only step";
	if (w->given || a->lines.n_steps == a->work.steps.steps)
		return ts_arena_printf(&cli->arena, "all of the trace, with all of its %s", steps);
	return ts_arena_printf(&cli->arena,
			       "all of the trace; only the critical path and means over its %s leave out the first, as warm-up "
			       "(--warmup N leaves the first N out of every figure)",
			       steps);
}

/* --- the timeline --- */

static void time_row(struct ts_cli *cli, struct ts_grid *grid, const char *what, uint64_t ns, const struct ts_timeline *t,
		     uint64_t events, bool counted)
{
	ts_trace_cell(grid, what);
	ts_trace_cell(grid, ts_trace_ms(cli, ns));
	ts_trace_cell(grid, ts_trace_percent(cli, ns, t->span_ns));
	ts_trace_cell(grid, counted ? ts_show_count(events, &cli->arena) : "");
}

static enum ts_status timeline(struct ts_cli *cli, const struct ts_timeline *t, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {
		{"", TS_ALIGN_LEFT, 0}, {"time", TS_ALIGN_RIGHT, 0}, {"of the span", TS_ALIGN_RIGHT, 0}, {"events", TS_ALIGN_RIGHT, 0}};
	struct ts_grid grid;

	ts_text_heading(cli, "All devices (a time is the length of a union: what ran at once counts once)");
	ts_grid_init(&grid, columns, 4, &cli->arena);
	time_row(cli, &grid, "span", t->span_ns, t, t->events, true);
	time_row(cli, &grid, "busy", t->busy_ns, t, 0, false);
	time_row(cli, &grid, "idle", t->idle_ns, t, 0, false);
	time_row(cli, &grid, "computation", t->computation_ns, t, t->computations, true);
	time_row(cli, &grid, "communication", t->communication_ns, t, t->communications, true);
	if (t->communications) {
		time_row(cli, &grid, "  overlapped", t->overlapped_communication_ns, t, 0, false);
		time_row(cli, &grid, "  exposed", t->exposed_communication_ns, t, 0, false);
	}
	time_row(cli, &grid, "copies", t->memory_ns, t, t->copies, true);
	if (t->copies)
		time_row(cli, &grid, "  exposed", t->exposed_memory_ns, t, 0, false);
	return ts_grid_print(&grid, &cli->term, 2, &cli->out, err);
}

static enum ts_status collectives(struct ts_cli *cli, const struct ts_timeline *t, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {
		{"kind", TS_ALIGN_LEFT, 0}, {"events", TS_ALIGN_RIGHT, 0}, {"time", TS_ALIGN_RIGHT, 0}, {"exposed", TS_ALIGN_RIGHT, 0}};
	struct ts_grid grid;

	if (!t->communications)
		return TS_OK;
	ts_text_heading(cli, "Communication");
	ts_grid_init(&grid, columns, 4, &cli->arena);
	for (size_t i = 0; i < TS_COLLECTIVES; i++) {
		if (!t->collectives[i].events)
			continue;
		ts_trace_cell(&grid, ts_collective_word(t->collectives[i].kind));
		ts_trace_cell(&grid, ts_show_count(t->collectives[i].events, &cli->arena));
		ts_trace_cell(&grid, ts_trace_ms(cli, t->collectives[i].ns));
		ts_trace_cell(&grid, ts_trace_ms(cli, t->collectives[i].exposed_ns));
	}
	return ts_grid_print(&grid, &cli->term, 2, &cli->out, err);
}

/* --- devices and streams, steps --- */

static void timeline_cells(struct ts_cli *cli, struct ts_grid *grid, const struct ts_timeline *t)
{
	ts_trace_cell(grid, ts_show_count(t->events, &cli->arena));
	ts_trace_cell(grid, ts_trace_ms(cli, t->span_ns));
	ts_trace_cell(grid, ts_trace_ms(cli, t->busy_ns));
	ts_trace_cell(grid, ts_trace_ms(cli, t->computation_ns));
	ts_trace_cell(grid, ts_trace_ms(cli, t->communication_ns));
	ts_trace_cell(grid, ts_trace_ms(cli, t->exposed_communication_ns));
	ts_trace_cell(grid, ts_trace_ms(cli, t->memory_ns));
}

#define TIMELINE_COLUMNS                                                                                                               \
	{"events", TS_ALIGN_RIGHT, 0}, {"span", TS_ALIGN_RIGHT, 0}, {"busy", TS_ALIGN_RIGHT, 0}, {"computation", TS_ALIGN_RIGHT, 0},   \
		{"communication", TS_ALIGN_RIGHT, 0}, {"exposed", TS_ALIGN_RIGHT, 0},                                                  \
	{                                                                                                                              \
		"copies", TS_ALIGN_RIGHT, 0                                                                                            \
	}

static void place_rows(struct ts_cli *cli, struct ts_grid *grid, const struct ts_timeline_of *rows, size_t n)
{
	for (size_t i = 0; i < n && i < TS_TRACE_PLACES_SHOWN; i++) {
		ts_trace_cell(grid, ts_trace_place(cli, rows[i].device, "-"));
		ts_trace_cell(grid, ts_trace_stream(cli, rows[i].stream, rows[i].all_streams));
		timeline_cells(cli, grid, &rows[i].timeline);
	}
}

static enum ts_status places(struct ts_cli *cli, const struct ts_timelines *l, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {{"device", TS_ALIGN_LEFT, 0}, {"stream", TS_ALIGN_LEFT, 0}, TIMELINE_COLUMNS};
	struct ts_grid grid;

	ts_text_heading(cli, "Devices and streams (spans, busy and exposed times are each row's own)");
	ts_grid_init(&grid, columns, 9, &cli->arena);
	place_rows(cli, &grid, l->devices, l->n_devices);
	place_rows(cli, &grid, l->streams, l->n_streams);
	if (ts_grid_print(&grid, &cli->term, 2, &cli->out, err))
		return err->status;
	ts_trace_more(cli, l->n_devices, TS_TRACE_PLACES_SHOWN, "device");
	ts_trace_more(cli, l->n_streams, TS_TRACE_PLACES_SHOWN, "stream");
	return TS_OK;
}

static void step_row(struct ts_cli *cli, struct ts_grid *grid, const char *step, const char *host, const struct ts_timeline *t)
{
	ts_trace_cell(grid, step);
	ts_trace_cell(grid, host);
	timeline_cells(cli, grid, t);
}

static enum ts_status steps(struct ts_cli *cli, const struct ts_timelines *l, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {
		{"step", TS_ALIGN_LEFT, 0}, {"on the host", TS_ALIGN_RIGHT, 0}, TIMELINE_COLUMNS};
	struct ts_grid grid;

	if (!l->n_steps) {
		ts_buf_str(&cli->out, "\n");
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 0, "The trace has no ProfilerStep, so nothing is said by step.");
		return TS_OK;
	}
	ts_text_heading(cli, "Steps (what the calls of each launched, whenever it ran)");
	ts_grid_init(&grid, columns, 9, &cli->arena);
	for (size_t i = 0; i < l->n_steps && i < STEPS_SHOWN; i++)
		step_row(cli, &grid, ts_show_step(l->steps[i].number, &cli->arena), ts_trace_ms(cli, l->steps[i].duration_ns),
			 &l->steps[i].timeline);
	if (l->between.events)
		step_row(cli, &grid, "none", "", &l->between);
	if (ts_grid_print(&grid, &cli->term, 2, &cli->out, err))
		return err->status;
	ts_trace_more(cli, l->n_steps, STEPS_SHOWN, "step");
	return TS_OK;
}

/* --- idle --- */

static enum ts_status idle(struct ts_cli *cli, const struct ts_trace_answer *a, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {
		{"device", TS_ALIGN_LEFT, 0},	      {"stream", TS_ALIGN_LEFT, 0},  {"gaps", TS_ALIGN_RIGHT, 0},
		{"idle", TS_ALIGN_RIGHT, 0},	      {"host", TS_ALIGN_RIGHT, 0},   {"launch", TS_ALIGN_RIGHT, 0},
		{"behind others", TS_ALIGN_RIGHT, 0}, {"queued", TS_ALIGN_RIGHT, 0}, {"unknown", TS_ALIGN_RIGHT, 0}};
	struct ts_grid grid;

	ts_text_heading(
		cli, "Idle by cause (the host had not asked; launching; queued behind other streams; queued; call not in the trace)");
	ts_grid_init(&grid, columns, 9, &cli->arena);
	for (size_t i = 0; i < a->n_idle && i < TS_TRACE_PLACES_SHOWN; i++) {
		const struct ts_idle *row = &a->idle[i];

		ts_trace_cell(&grid, ts_trace_place(cli, row->device, "-"));
		ts_trace_cell(&grid, ts_trace_stream(cli, row->stream, row->all_streams));
		ts_trace_cell(&grid, ts_show_count(row->gaps, &cli->arena));
		ts_trace_cell(&grid, ts_trace_ms(cli, row->idle_ns));
		ts_trace_cell(&grid, ts_trace_ms(cli, row->host_ns));
		ts_trace_cell(&grid, ts_trace_ms(cli, row->launch_ns));
		ts_trace_cell(&grid, ts_trace_ms(cli, row->behind_ns));
		ts_trace_cell(&grid, ts_trace_ms(cli, row->queued_ns));
		ts_trace_cell(&grid, ts_trace_ms(cli, row->unknown_ns));
	}
	if (ts_grid_print(&grid, &cli->term, 2, &cli->out, err))
		return err->status;
	ts_trace_more(cli, a->n_idle, TS_TRACE_PLACES_SHOWN, "row");
	return TS_OK;
}

/* --- kernels --- */

static void sum_cells(struct ts_cli *cli, struct ts_grid *grid, const struct ts_kernel_sum *s, uint64_t all)
{
	ts_trace_cell(grid, ts_trace_ms(cli, s->sum_ns));
	ts_trace_cell(grid, ts_trace_percent(cli, s->sum_ns, all));
	ts_trace_cell(grid, ts_show_count(s->count, &cli->arena));
	ts_trace_cell(grid, s->count ? ts_trace_ms(cli, s->sum_ns / s->count) : "-");
	ts_trace_cell(grid, ts_trace_ms(cli, s->max_ns));
}

#define SUM_COLUMNS                                                                                                                    \
	{"sum", TS_ALIGN_RIGHT, 0}, {"share", TS_ALIGN_RIGHT, 0}, {"count", TS_ALIGN_RIGHT, 0}, {"mean", TS_ALIGN_RIGHT, 0},           \
	{                                                                                                                              \
		"longest", TS_ALIGN_RIGHT, 0                                                                                           \
	}

static enum ts_status kernels(struct ts_cli *cli, const struct ts_kernel_sums *sums, struct ts_error *err)
{
	static const struct ts_grid_column by_category[] = {{"category", TS_ALIGN_LEFT, 0}, SUM_COLUMNS};
	static const struct ts_grid_column by_name[] = {SUM_COLUMNS, {"category", TS_ALIGN_LEFT, 0}, {"name", TS_ALIGN_LEFT, 20}};
	struct ts_grid grid;

	ts_trace_heading(cli,
			 ts_arena_printf(&cli->arena,
					 "Work by category, by the table of kernels, version %d (sums: what ran at once counts twice)",
					 TS_KERNEL_TABLE_VERSION));
	ts_grid_init(&grid, by_category, 6, &cli->arena);
	for (size_t i = 0; i < sums->n_categories; i++) {
		ts_trace_cell(&grid, ts_sum_category_word(sums->categories[i].category));
		sum_cells(cli, &grid, &sums->categories[i], sums->sum_ns);
	}
	if (ts_grid_print(&grid, &cli->term, 2, &cli->out, err))
		return err->status;
	ts_text_heading(cli, "The longest by name");
	ts_grid_init(&grid, by_name, 7, &cli->arena);
	for (size_t i = 0; i < sums->n_names && i < TS_TRACE_KERNELS_SHOWN; i++) {
		sum_cells(cli, &grid, &sums->names[i], sums->sum_ns);
		ts_trace_cell(&grid, ts_sum_category_word(sums->names[i].category));
		ts_trace_kernel(cli, &grid, sums->names[i].name);
	}
	if (ts_grid_print(&grid, &cli->term, 2, &cli->out, err))
		return err->status;
	ts_trace_more(cli, sums->n_names, TS_TRACE_KERNELS_SHOWN, "name");
	return TS_OK;
}

/* Of a recording that has no step but one, the host may have worked for long before it asked a device for anything. */
static void short_span(struct ts_cli *cli, const struct ts_trace_answer *a)
{
	uint64_t span = a->lines.all.span_ns, wall = a->host.steps.all.wall_ns;

	if (span >= wall - wall / 10)
		return;
	ts_text_field(
		cli, "note",
		ts_arena_printf(
			&cli->arena,
			"the work of devices spans %s, and that of the main thread %s: what was before a device's first event and "
			"after its last one is none of its idle time",
			ts_trace_ms(cli, span), ts_trace_ms(cli, wall)));
}

static enum ts_status devices(struct ts_cli *cli, const struct ts_trace_answer *a, struct ts_error *err)
{
	const struct ts_timelines *l = &a->lines;

	if (l->unlaunched)
		ts_text_field(cli, "note",
			      ts_arena_printf(&cli->arena,
					      "%s of %s were launched before the recording began, or by a call that it lacks%s",
					      ts_trace_count(cli, l->unlaunched), ts_trace_plural(cli, l->all.events, "event"),
					      l->n_steps ? "; they count in the step in which they began" : ""));
	short_span(cli, a);
	ts_text_trace_verdict(cli, &a->verdict);
	if (timeline(cli, &l->all, err) || collectives(cli, &l->all, err) || places(cli, l, err) || steps(cli, l, err) ||
	    idle(cli, a, err) || kernels(cli, &a->sums, err) || ts_trace_ops_text(cli, a, err))
		return err->status;
	return TS_OK;
}

enum ts_status ts_render_trace_text(struct ts_cli *cli, const struct ts_trace_answer *a, struct ts_error *err)
{
	const struct ts_timelines *l = &a->lines;

	ts_text_field(cli, "trace", a->path);
	ts_text_field(cli, "of", who(cli, a));
	recorded(cli, a);
	ts_text_field(cli, "has", contents(cli, a));
	if (a->n_others)
		ts_text_field(cli, "others", others(cli, a));
	ts_text_field(cli, "over", over(cli, a));
	if (l->all.events && (devices(cli, a, err) || ts_trace_path_text(cli, &a->critical, err)))
		return err->status;
	if (!l->all.events) {
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 0,
				"The trace has no events of devices, so there is nothing to say of their time.");
		ts_trace_breaks_text(cli, &a->work.marks.breaks);
	}
	if (ts_trace_allocations_text(cli, a, err) || ts_trace_host_text(cli, a, err) || ts_trace_host_time_text(cli, a, err))
		return err->status;
	return ts_arena_check(&cli->arena, err);
}
