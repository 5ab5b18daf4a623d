/* text_host.c - what a trace says of the host, as text: launches, queues, waits. */
#include "cli/text/show_value.h"
#include "cli/text/text_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/trace_cells.h"

enum { WAITS_SHOWN = 10 };

static const char *signed_ms(struct ts_cli *cli, int64_t ns)
{
	uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
	const char *text = ts_trace_ms(cli, size);

	return ns < 0 && text ? ts_arena_printf(&cli->arena, "-%s", text) : text;
}

static const char *mean(struct ts_cli *cli, uint64_t sum, uint64_t n)
{
	return n ? ts_arena_printf(&cli->arena, "%.2f", (double)sum / (double)n) : "-";
}

/* --- launches --- */

static void launch_row(struct ts_cli *cli, struct ts_grid *grid, const struct ts_launch_row *row)
{
	ts_trace_cell(grid, ts_trace_place(cli, row->device, "-"));
	ts_trace_cell(grid, ts_trace_stream(cli, row->stream, row->all_streams));
	ts_trace_cell(grid, ts_trace_count(cli, row->delays));
	ts_trace_cell(grid, signed_ms(cli, row->unclipped.least_ns));
	ts_trace_cell(grid, signed_ms(cli, row->unclipped.median_ns));
	ts_trace_cell(grid, signed_ms(cli, row->unclipped.p95_ns));
	ts_trace_cell(grid, signed_ms(cli, row->unclipped.most_ns));
	ts_trace_cell(grid, ts_trace_count(cli, row->early));
	ts_trace_cell(grid, ts_trace_count(cli, row->long_delays));
	ts_trace_cell(grid, ts_trace_count(cli, row->long_calls));
	ts_trace_cell(grid, ts_trace_count(cli, row->short_kernels));
}

static enum ts_status launches(struct ts_cli *cli, const struct ts_trace_host *h, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {{"device", TS_ALIGN_LEFT, 0},	     {"stream", TS_ALIGN_LEFT, 0},
							{"calls", TS_ALIGN_RIGHT, 0},	     {"least", TS_ALIGN_RIGHT, 0},
							{"median", TS_ALIGN_RIGHT, 0},	     {"95 %", TS_ALIGN_RIGHT, 0},
							{"longest", TS_ALIGN_RIGHT, 0},	     {"below 0", TS_ALIGN_RIGHT, 0},
							{"over 100 us", TS_ALIGN_RIGHT, 0},  {"calls over 50 us", TS_ALIGN_RIGHT, 0},
							{"short kernels", TS_ALIGN_RIGHT, 0}};
	struct ts_grid grid;

	ts_text_heading(cli, "Launch delay (from the end of a call to the begin of what it launched; short: less than the call took)");
	ts_grid_init(&grid, columns, 11, &cli->arena);
	for (size_t i = 0; i < h->n_launches && i < TS_TRACE_PLACES_SHOWN; i++)
		if (h->launches[i].delays)
			launch_row(cli, &grid, &h->launches[i]);
	if (ts_grid_print(&grid, &cli->term, 2, &cli->out, err))
		return err->status;
	ts_trace_more(cli, h->n_launches, TS_TRACE_PLACES_SHOWN, "row");
	return TS_OK;
}

static void queue_cells(struct ts_cli *cli, struct ts_grid *grid, const struct ts_queue *q, uint64_t window)
{
	ts_trace_cell(grid, mean(cli, q->sum_ns, window));
	ts_trace_cell(grid, ts_trace_count(cli, q->most));
	ts_trace_cell(grid, ts_trace_percent(cli, q->empty_ns, window));
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
	static const struct ts_grid_column columns[] = {
		{"device", TS_ALIGN_LEFT, 0},	    {"stream", TS_ALIGN_LEFT, 0}, {"queued", TS_ALIGN_RIGHT, 0},
		{"most", TS_ALIGN_RIGHT, 0},	    {"none", TS_ALIGN_RIGHT, 0},  {"1,024 and more", TS_ALIGN_RIGHT, 0},
		{"outstanding", TS_ALIGN_RIGHT, 0}, {"most", TS_ALIGN_RIGHT, 0},  {"none", TS_ALIGN_RIGHT, 0}};
	struct ts_grid grid;

	ts_text_heading(cli, "Queue (launched and not begun; outstanding: not ended; means and shares are of the time from the first "
			     "launch to the last end)");
	ts_grid_init(&grid, columns, 9, &cli->arena);
	for (size_t i = 0; i < h->n_launches && i < TS_TRACE_PLACES_SHOWN; i++) {
		const struct ts_launch_row *row = &h->launches[i];

		if (!row->launched)
			continue;
		ts_trace_cell(&grid, ts_trace_place(cli, row->device, "-"));
		ts_trace_cell(&grid, ts_trace_stream(cli, row->stream, row->all_streams));
		queue_cells(cli, &grid, &row->queued, row->window_ns);
		ts_trace_cell(&grid, row->queued.full_ns ? ts_trace_ms(cli, row->queued.full_ns) : "never");
		queue_cells(cli, &grid, &row->outstanding, row->window_ns);
	}
	if (ts_grid_print(&grid, &cli->term, 2, &cli->out, err))
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
	const char *inner = ts_show_text(ts_trace_cut(w->in_operator, TS_TRACE_NAME_BYTES), &cli->arena);
	const char *outer = ts_show_text(ts_trace_cut(w->in_outer, TS_TRACE_NAME_BYTES), &cli->arena);

	if (!inner || !outer || !*inner)
		return inner ? "-" : NULL;
	return strcmp(inner, outer) == 0 ? inner : ts_arena_printf(&cli->arena, "%s in %s", inner, outer);
}

static void wait_row(struct ts_cli *cli, struct ts_grid *grid, const struct ts_host_waits *waits, const struct ts_host_wait *w)
{
	ts_trace_cell(grid, ts_trace_ms(cli, w->sum.ns));
	ts_trace_cell(grid, ts_trace_count(cli, w->sum.calls));
	ts_trace_cell(grid, ts_trace_ms(cli, w->sum.max_ns));
	ts_trace_cell(grid, waits->has_work ? mean(cli, w->sum.outstanding, w->sum.calls) : "-");
	ts_trace_cell(grid, waits->has_work ? ts_trace_count(cli, w->sum.drained) : "-");
	ts_trace_cell(grid, waits->has_work ? ts_trace_ms(cli, w->sum.idle_ns) : "-");
	ts_trace_name(cli, grid, w->call);
	ts_trace_cell(grid, asker(cli, w));
	ts_trace_name(cli, grid, w->source.len ? w->source : ts_span_str(waits->has_sources ? "-" : "not recorded"));
}

static enum ts_status waits(struct ts_cli *cli, const struct ts_host_waits *w, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {
		{"waited", TS_ALIGN_RIGHT, 0},	    {"calls", TS_ALIGN_RIGHT, 0},    {"longest", TS_ALIGN_RIGHT, 0},
		{"outstanding", TS_ALIGN_RIGHT, 0}, {"ran dry", TS_ALIGN_RIGHT, 0},  {"idle after", TS_ALIGN_RIGHT, 0},
		{"call", TS_ALIGN_LEFT, 12},	    {"operator", TS_ALIGN_LEFT, 12}, {"asked by", TS_ALIGN_LEFT, 12}};
	struct ts_grid grid;

	if (!w->all.calls)
		return TS_OK;
	ts_trace_heading(cli, ts_arena_printf(&cli->arena,
					      "Waits of the host for a device: %s, %s (outstanding: launched and not ended, the "
					      "mean of the calls; ran dry: nothing was left)",
					      ts_trace_plural(cli, w->all.calls, "call"), ts_trace_ms(cli, w->all.ns)));
	ts_grid_init(&grid, columns, 9, &cli->arena);
	for (size_t i = 0; i < w->n && i < WAITS_SHOWN; i++)
		wait_row(cli, &grid, w, &w->items[i]);
	if (ts_grid_print(&grid, &cli->term, 2, &cli->out, err))
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
