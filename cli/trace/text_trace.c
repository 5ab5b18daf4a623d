/* text_trace.c - what a profiler's trace says, as text. Times are milliseconds with all their digits: what is exact is shown so. */
#include "analysis/trace/device/kernel.h"
#include "cli/text/text_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/trace_cells.h"
#include "cli/view/show_value.h"
#include "cli/view/view.h"
#include "proto/shape/shapes.h"

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

/* Times as rows: with the events that took them, if what is counted. */
static void time_row(struct ts_cli *cli, struct ts_view *view, const char *what, uint64_t ns, const struct ts_timeline *t,
		     const uint64_t *events)
{
	ts_view_row(view, NULL);
	ts_view_set(view, "", TS_STYLE_PLAIN, what);
	ts_view_set(view, "time", TS_STYLE_PLAIN, ts_trace_ms(cli, ns));
	ts_view_set(view, "of the span", TS_STYLE_PLAIN, ts_trace_percent(cli, ns, t->span_ns));
	if (events)
		ts_view_set(view, "events", TS_STYLE_PLAIN, ts_show_count(*events, &cli->arena));
}

static enum ts_status timeline(struct ts_cli *cli, const struct ts_timeline *t, struct ts_error *err)
{
	static const struct ts_view_column columns[] = {TS_LEFT("", 0), TS_RIGHT("time"), TS_RIGHT("of the span"), TS_RIGHT("events")};
	struct ts_view view;

	ts_text_heading(cli, "All devices (a time is the length of a union: what ran at once counts once)");
	ts_view_init(&view, TS_VIEW_COLUMNS(columns), &cli->arena);
	time_row(cli, &view, "span", t->span_ns, t, &t->events);
	time_row(cli, &view, "busy", t->busy_ns, t, NULL);
	time_row(cli, &view, "idle", t->idle_ns, t, NULL);
	time_row(cli, &view, "computation", t->computation_ns, t, &t->computations);
	time_row(cli, &view, "communication", t->communication_ns, t, &t->communications);
	if (t->communications) {
		time_row(cli, &view, "  overlapped", t->overlapped_communication_ns, t, NULL);
		time_row(cli, &view, "  exposed", t->exposed_communication_ns, t, NULL);
	}
	time_row(cli, &view, "copies", t->memory_ns, t, &t->copies);
	if (t->copies)
		time_row(cli, &view, "  exposed", t->exposed_memory_ns, t, NULL);
	return ts_trace_print(cli, &view, err);
}

static enum ts_status collectives(struct ts_cli *cli, const struct ts_timeline *t, struct ts_error *err)
{
	struct ts_view view;

	if (!t->communications)
		return TS_OK;
	ts_text_heading(cli, "Communication");
	ts_view_of(&view, &ts_shape_trace_collective, NULL, &cli->arena);
	for (size_t i = 0; i < TS_COLLECTIVES; i++)
		if (t->collectives[i].events)
			ts_view_row(&view, &t->collectives[i]);
	return ts_trace_print(cli, &view, err);
}

/* --- devices and streams, steps --- */

static enum ts_status places(struct ts_cli *cli, const struct ts_timelines *l, struct ts_error *err)
{
	enum { MOST = TS_TRACE_PLACES_SHOWN };
	struct ts_view view;

	ts_text_heading(cli, "Devices and streams (spans, busy and exposed times are each row's own)");
	ts_view_of(&view, &ts_shape_trace_place, "device stream timeline", &cli->arena);
	ts_view_rows(&view, l->devices, l->n_devices < MOST ? l->n_devices : MOST);
	ts_view_rows(&view, l->streams, l->n_streams < MOST ? l->n_streams : MOST);
	if (ts_trace_print(cli, &view, err))
		return err->status;
	ts_trace_more(cli, l->n_devices, MOST, "device");
	ts_trace_more(cli, l->n_streams, MOST, "stream");
	return TS_OK;
}

static enum ts_status steps(struct ts_cli *cli, const struct ts_timelines *l, struct ts_error *err)
{
	struct ts_view view;

	if (!l->n_steps) {
		ts_buf_str(&cli->out, "\n");
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 0,
				"The trace marks no steps, so nothing is said by step. --step-name TEXT names annotations that are.");
		return TS_OK;
	}
	if (l->n_phases) {
		ts_text_heading(cli, "Steps by phase (busy: with what each step launched, added up)");
		ts_view_of(&view, &ts_shape_step_phase, NULL, &cli->arena);
		ts_view_rows(&view, l->phases, l->n_phases);
		if (ts_trace_print(cli, &view, err))
			return err->status;
	}
	ts_text_heading(cli, "Steps (what the calls of each launched, whenever it ran)");
	ts_view_of(&view, &ts_shape_trace_step,
		   l->n_phases ? "step phase request_count token_count duration_ns timeline" : "step duration_ns timeline",
		   &cli->arena);
	ts_view_rows(&view, l->steps, l->n_steps < STEPS_SHOWN ? l->n_steps : STEPS_SHOWN);
	if (l->between.events) {
		ts_view_row(&view, &(struct ts_timeline_step){.timeline = l->between});
		ts_view_set(&view, "step", TS_STYLE_PLAIN, "none");
		ts_view_set(&view, "duration_ns", TS_STYLE_PLAIN, "");
	}
	if (ts_trace_print(cli, &view, err))
		return err->status;
	ts_trace_more(cli, l->n_steps, STEPS_SHOWN, "step");
	return TS_OK;
}

/* --- idle --- */

static enum ts_status idle(struct ts_cli *cli, const struct ts_trace_answer *a, struct ts_error *err)
{
	const struct ts_first_rows rows = {&ts_shape_trace_idle, NULL, a->idle, a->n_idle, TS_TRACE_PLACES_SHOWN, "row", 0};

	ts_text_heading(
		cli, "Idle by cause (the host had not asked; launching; queued behind other streams; queued; call not in the trace)");
	return ts_trace_table(cli, &rows, err);
}

/* --- kernels --- */

static enum ts_status sums(struct ts_cli *cli, const char *keys, const struct ts_kernel_sum *rows, size_t n, uint64_t all,
			   struct ts_error *err)
{
	static const struct ts_view_column mean[] = {TS_RIGHT("mean")};
	struct ts_view view;

	ts_view_with(&view, &ts_shape_trace_kernel_sum, keys, TS_VIEW_COLUMNS(mean), &cli->arena);
	view.whole = all;
	for (size_t i = 0; i < n; i++) {
		ts_view_row(&view, &rows[i]);
		ts_view_set(&view, "mean", TS_STYLE_PLAIN, rows[i].count ? ts_trace_ms(cli, rows[i].sum_ns / rows[i].count) : "-");
	}
	return ts_trace_print(cli, &view, err);
}

static enum ts_status kernels(struct ts_cli *cli, const struct ts_kernel_sums *s, struct ts_error *err)
{
	size_t shown = s->n_names < TS_TRACE_KERNELS_SHOWN ? s->n_names : TS_TRACE_KERNELS_SHOWN;

	ts_trace_heading(cli,
			 ts_arena_printf(&cli->arena,
					 "Work by category, by the table of kernels, version %d (sums: what ran at once counts twice)",
					 TS_KERNEL_TABLE_VERSION));
	if (sums(cli, "category sum_ns sum_ns% count mean max_ns", s->categories, s->n_categories, s->sum_ns, err))
		return err->status;
	ts_text_heading(cli, "The longest by name");
	if (sums(cli, "sum_ns sum_ns% count mean max_ns category name", s->names, shown, s->sum_ns, err))
		return err->status;
	ts_trace_more(cli, s->n_names, shown, "name");
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

/* Nothing was overlapped, and nothing exposed: which of both it was, nobody can say without a kernel of communication. */
static void silent_rank(struct ts_cli *cli, const struct ts_trace_answer *a)
{
	if (!a->has_world_size || a->world_size < 2 || a->lines.all.communications)
		return;
	ts_text_field(cli, "note",
		      ts_arena_printf(&cli->arena,
				      "it is of a job of %" PRId64 " ranks, and no device communicated while it was recorded: how much "
				      "communication takes, and how much is overlapped, is not known",
				      a->world_size));
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
	silent_rank(cli, a);
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
