/* text_host.c - what a trace says of the host, as text: launches, queues, waits. */
#include "cli/text/text_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/trace_cells.h"
#include "cli/view/show_value.h"
#include "proto/shape/shapes.h"

enum { WAITS_SHOWN = 10 };

static const char *mean(struct ts_cli *cli, uint64_t sum, uint64_t n)
{
	return n ? ts_arena_printf(&cli->arena, "%.2f", (double)sum / (double)n) : "-";
}

/* --- launches --- */

static enum ts_status launches(struct ts_cli *cli, const struct ts_trace_host *h, struct ts_error *err)
{
	struct ts_view view;

	ts_text_heading(cli, "Launch delay (from the end of a call to the begin of what it launched; short: less than the call took)");
	ts_view_of(&view, &ts_shape_trace_launches,
		   "device stream call_count unclipped_delay early_count long_delay_count long_call_count short_kernel_count",
		   &cli->arena);
	for (size_t i = 0; i < h->n_launches && i < TS_TRACE_PLACES_SHOWN; i++)
		if (h->launches[i].delays)
			ts_view_row(&view, &h->launches[i]);
	if (ts_trace_print(cli, &view, err))
		return err->status;
	ts_trace_more(cli, h->n_launches, TS_TRACE_PLACES_SHOWN, "row");
	return TS_OK;
}

/* What a full queue made of the calls of a device. */
static void full_calls(struct ts_cli *cli, const struct ts_launch_row *row)
{
	uint64_t others = row->delays - row->full_calls;

	if (!row->all_streams || !row->full_calls)
		return;
	ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
			ts_arena_printf(&cli->arena, "%s began with %s and more queued and took %s each on average%s%s.",
					ts_trace_plural(cli, row->full_calls, "call"), ts_trace_count(cli, TS_QUEUE_NEARLY_FULL),
					ts_trace_ms(cli, row->full_calls_ns / row->full_calls), others ? ", the others " : "",
					others ? ts_trace_ms(cli, (row->calls_ns - row->full_calls_ns) / others) : ""));
}

static enum ts_status queues(struct ts_cli *cli, const struct ts_trace_host *h, struct ts_error *err)
{
	static const struct ts_view_column made[] = {{.head = "queued", .align = TS_ALIGN_RIGHT, .key = "depth"},
						     {.head = "none", .align = TS_ALIGN_RIGHT, .key = "empty"},
						     {.head = "1,024 and more", .align = TS_ALIGN_RIGHT, .key = "full"},
						     {.head = "outstanding", .align = TS_ALIGN_RIGHT, .key = "left"},
						     {.head = "none", .align = TS_ALIGN_RIGHT, .key = "dry"}};
	struct ts_view view;

	ts_text_heading(cli, "Queue (launched and not begun; outstanding: not ended; means and shares are of the time from the first "
			     "launch to the last end)");
	ts_view_with(&view, &ts_shape_trace_launches,
		     "device stream depth queued.most_count empty full left outstanding.most_count dry", TS_VIEW_COLUMNS(made),
		     &cli->arena);
	for (size_t i = 0; i < h->n_launches && i < TS_TRACE_PLACES_SHOWN; i++) {
		const struct ts_launch_row *row = &h->launches[i];
		const struct ts_queue *q = &row->queued, *o = &row->outstanding;

		if (!row->launched)
			continue;
		ts_view_row(&view, row);
		ts_view_set(&view, "depth", TS_STYLE_PLAIN, mean(cli, q->sum_ns, row->window_ns));
		ts_view_set(&view, "empty", TS_STYLE_PLAIN, ts_trace_percent(cli, q->empty_ns, row->window_ns));
		ts_view_set(&view, "full", TS_STYLE_PLAIN, q->full_ns ? ts_trace_ms(cli, q->full_ns) : "never");
		ts_view_set(&view, "left", TS_STYLE_PLAIN, mean(cli, o->sum_ns, row->window_ns));
		ts_view_set(&view, "dry", TS_STYLE_PLAIN, ts_trace_percent(cli, o->empty_ns, row->window_ns));
	}
	if (ts_trace_print(cli, &view, err))
		return err->status;
	for (size_t i = 0; i < h->n_launches; i++)
		full_calls(cli, &h->launches[i]);
	return TS_OK;
}

static bool any_launch(const struct ts_trace_host *h)
{
	for (size_t i = 0; i < h->n_launches; i++)
		if (h->launches[i].delays)
			return true;
	return false;
}

/* --- waits --- */

static const char *asker(struct ts_cli *cli, const struct ts_host_wait *w)
{
	const char *inner = ts_show_text(ts_name_cut(w->in_operator, TS_NAME_SHOWN), &cli->arena);
	const char *outer = ts_show_text(ts_name_cut(w->in_outer, TS_NAME_SHOWN), &cli->arena);

	if (!inner || !outer || !*inner)
		return inner ? "-" : NULL;
	return strcmp(inner, outer) == 0 ? inner : ts_arena_printf(&cli->arena, "%s in %s", inner, outer);
}

static void wait_row(struct ts_cli *cli, struct ts_view *view, const struct ts_host_waits *waits, const struct ts_host_wait *w)
{
	ts_view_row(view, w);
	ts_view_set(view, "outstanding", TS_STYLE_PLAIN, waits->has_work ? mean(cli, w->sum.outstanding, w->sum.calls) : "-");
	ts_view_set(view, "operator", TS_STYLE_PLAIN, asker(cli, w));
	if (!waits->has_work) {
		ts_view_set(view, "waited.drained_count", TS_STYLE_PLAIN, "-");
		ts_view_set(view, "waited.idle_ns", TS_STYLE_PLAIN, "-");
	}
	if (!w->source.len && !waits->has_sources)
		ts_view_set(view, "source", TS_STYLE_PLAIN, "not recorded");
}

static enum ts_status waits(struct ts_cli *cli, const struct ts_host_waits *w, struct ts_error *err)
{
	static const struct ts_view_column made[] = {TS_RIGHT("outstanding"), TS_LEFT("operator", 12)};
	struct ts_view view;

	if (!w->all.calls)
		return TS_OK;
	ts_trace_heading(cli, ts_arena_printf(&cli->arena,
					      "Waits of the host for a device: %s, %s (outstanding: launched and not ended, the "
					      "mean of the calls; ran dry: nothing was left)",
					      ts_trace_plural(cli, w->all.calls, "call"), ts_trace_ms(cli, w->all.ns)));
	ts_view_with(&view, &ts_shape_trace_wait,
		     "waited.sum_ns waited.call_count waited.longest_ns outstanding waited.drained_count waited.idle_ns call operator "
		     "source",
		     TS_VIEW_COLUMNS(made), &cli->arena);
	for (size_t i = 0; i < w->n && i < WAITS_SHOWN; i++)
		wait_row(cli, &view, w, &w->items[i]);
	if (ts_trace_print(cli, &view, err))
		return err->status;
	ts_trace_more(cli, w->n, WAITS_SHOWN, "row");
	return TS_OK;
}

enum ts_status ts_trace_host_text(struct ts_cli *cli, const struct ts_trace_answer *a, struct ts_error *err)
{
	if (any_launch(&a->host) && (launches(cli, &a->host, err) || queues(cli, &a->host, err)))
		return err->status;
	return waits(cli, &a->host.waits, err);
}
