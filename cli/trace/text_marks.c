/* text_marks.c - how kernels filled the device, what a step launched, and what stands out among the work, as text. */
#include "analysis/trace/device/kernel_sums.h"
#include "cli/text/text_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/trace_cells.h"
#include "cli/view/show_value.h"
#include "proto/shape/shapes.h"

enum { CATEGORIES_SHOWN = 8, REGIONS_SHOWN = 5 };

/* --- use --- */

static void use_row(struct ts_cli *cli, struct ts_view *view, const struct ts_kernel_use *u)
{
	ts_view_row(view, u);
	ts_view_set(view, "share", TS_STYLE_PLAIN, u->sized.count ? ts_trace_percent(cli, u->small.ns, u->sized.ns) : "not recorded");
	ts_view_set(view, "few", TS_STYLE_PLAIN, u->sized.count ? ts_trace_count(cli, u->small.count) : "-");
}

static enum ts_status use(struct ts_cli *cli, const struct ts_kernel_uses *u, struct ts_error *err)
{
	static const struct ts_view_column made[] = {{.head = "in small grids", .align = TS_ALIGN_RIGHT, .key = "share"},
						     {.head = "small grids", .align = TS_ALIGN_RIGHT, .key = "few"}};
	struct ts_view view;

	if (!u->all.rated.count && !u->all.sized.count)
		return TS_OK;
	ts_text_heading(cli, "Use of the device (estimated occupancy, weighted by time; small: fewer blocks than multiprocessors)");
	ts_view_with(&view, &ts_shape_trace_kernel_use, "category kernels.sum_ns occupancy_percent share few", TS_VIEW_COLUMNS(made),
		     &cli->arena);
	use_row(cli, &view, &u->all);
	for (size_t i = 0; i < u->n_categories && i < CATEGORIES_SHOWN; i++)
		use_row(cli, &view, &u->categories[i]);
	if (ts_trace_print(cli, &view, err))
		return err->status;
	ts_trace_more(cli, u->n_categories, CATEGORIES_SHOWN, "row");
	return TS_OK;
}

/* --- steps --- */

static enum ts_status steps(struct ts_cli *cli, const struct ts_step_sums *s, struct ts_error *err)
{
	const struct ts_first_rows rows = {&ts_shape_trace_step_sum,
					   "category mean_ns deviation_ns least_ns most_ns mean_count",
					   s->categories,
					   s->n_categories,
					   CATEGORIES_SHOWN,
					   "row",
					   0};

	if (s->steps < 2 || !s->n_categories)
		return TS_OK;
	ts_trace_heading(cli, ts_arena_printf(&cli->arena, "A step, by what it launched (%s from step %s on%s)",
					      ts_trace_plural(cli, s->steps, "step"), ts_show_step(s->first, &cli->arena),
					      s->warmup ? "; the first is left out as warm-up" : ""));
	return ts_trace_table(cli, &rows, err);
}

/* --- marks --- */

/* "12 events, 3.000000 ms, 4.0 % of the work". */
static const char *part(struct ts_cli *cli, const struct ts_work_sum *sum, const struct ts_work_sum *all)
{
	return ts_arena_printf(&cli->arena, "%s, %s, %s of the work", ts_trace_plural(cli, sum->count, "event"),
			       ts_trace_ms(cli, sum->ns), ts_trace_percent(cli, sum->ns, all->ns));
}

static void line(struct ts_cli *cli, const char *text)
{
	ts_text_wrapped(cli, TS_STYLE_PLAIN, 2, text ? text : "");
}

static void optimizers(struct ts_cli *cli, const struct ts_work_marks *m, const struct ts_work_sum *all)
{
	for (size_t i = 0; i < m->n_optimizers; i++) {
		const struct ts_optimizer_sum *o = &m->optimizers[i];
		const char *name = ts_show_text(ts_name_cut(o->name, TS_NAME_SHOWN), &cli->arena);

		if (o->sum.count)
			line(cli, ts_arena_printf(&cli->arena,
						  "%s ran %s and launched %s: %s fused, %s for several tensors at once, %s otherwise.",
						  name ? name : "", ts_trace_plural(cli, o->count, "time"), part(cli, &o->sum, all),
						  ts_trace_count(cli, o->fused.count), ts_trace_count(cli, o->foreach.count),
						  ts_trace_count(cli, o->each.count)));
	}
}

static void attention(struct ts_cli *cli, const struct ts_work_marks *m, const struct ts_work_sum *all)
{
	for (size_t i = 0; i < m->n_found; i++) {
		const struct ts_attention_sum *a = &m->found[i];

		if (a->attention == TS_ATTENTION_SINGLE)
			line(cli,
			     ts_arena_printf(&cli->arena,
					     "Attention ran as single operations, a softmax between two products of its shape: %s, %s.",
					     ts_trace_plural(cli, a->count, "time"), part(cli, &a->sum, all)));
		else
			line(cli, ts_arena_printf(&cli->arena, "Attention ran as %s: %s, %s.", ts_attention_word(a->attention),
						  ts_trace_plural(cli, a->count, "operator"), part(cli, &a->sum, all)));
	}
	if (m->unsaid_attention)
		line(cli,
		     ts_arena_printf(
			     &cli->arena,
			     "Between two products a softmax ran %s. Whether that was attention in single operations is not known, "
			     "because the trace has no shapes of inputs (record_shapes=True).",
			     ts_trace_plural(cli, m->unsaid_attention, "time")));
}

/* " (2 a step)", of a count within steps. */
static const char *by_step(struct ts_cli *cli, uint64_t n, uint64_t steps)
{
	const char *text = "";

	if (steps)
		text = ts_arena_printf(&cli->arena, " (%.*f a step)", n % steps ? 1 : 0, (double)n / (double)steps);
	return text ? text : "";
}

static const char *entries(struct ts_cli *cli, uint64_t n)
{
	const char *text = ts_arena_printf(&cli->arena, "%s entries", ts_trace_count(cli, n));

	return text ? text : "";
}

static void graph_breaks(struct ts_cli *cli, const struct ts_graph_breaks *b)
{
	if (b->all.entries)
		line(cli,
		     ts_arena_printf(&cli->arena,
				     "Compiled regions were entered %s%s; %s%s ended at a graph break behind which another region was "
				     "entered. Breaks behind which none was entered do not show.",
				     ts_trace_plural(cli, b->all.entries, "time"), by_step(cli, b->in_steps.entries, b->steps),
				     b->all.breaks == 1 ? "1 entry" : entries(cli, b->all.breaks),
				     by_step(cli, b->in_steps.breaks, b->steps)));
	else if (b->graph_calls)
		line(cli,
		     ts_arena_printf(&cli->arena,
				     "Graph breaks are unknown: compiled graphs were called %s, but the trace has no regions around "
				     "them.",
				     ts_trace_plural(cli, b->graph_calls, "time")));
	if (b->all.entries && b->all.lookups)
		line(cli, ts_arena_printf(&cli->arena, "Of %s for compiled code %s%s found none, and the frame ran as it is.",
					  ts_trace_plural(cli, b->all.lookups, "lookup"), ts_trace_count(cli, b->all.fell_back),
					  by_step(cli, b->in_steps.fell_back, b->steps)));
	else if (b->all.entries)
		line(cli, "Whether frames fell back to eager code is unknown: the trace has no lookups of TorchDynamo.");
}

static void compiled(struct ts_cli *cli, const struct ts_work_marks *m, const struct ts_work_sum *all)
{
	for (size_t i = 0; i < m->n_regions && i < REGIONS_SHOWN; i++) {
		const char *name = ts_show_text(ts_name_cut(m->regions[i].name, TS_NAME_SHOWN), &cli->arena);

		line(cli, ts_arena_printf(&cli->arena, "%s ran %s and launched %s.", name ? name : "",
					  ts_trace_plural(cli, m->regions[i].count, "time"), part(cli, &m->regions[i].sum, all)));
	}
	ts_trace_more(cli, m->n_regions, REGIONS_SHOWN, "region");
	if (m->recompiled)
		line(cli, ts_arena_printf(&cli->arena, "Recompiled: %s, of %s, by their names no first compilation of the frame.",
					  ts_trace_count(cli, m->recompiled), ts_trace_plural(cli, m->n_regions, "region")));
	graph_breaks(cli, &m->breaks);
	if (m->compiling)
		line(cli, ts_arena_printf(&cli->arena, "Code was compiled %s in the recording, which took the host %s.",
					  ts_trace_plural(cli, m->compiling, "time"), ts_trace_ms(cli, m->compile_ns)));
}

static void runs(struct ts_cli *cli, const struct ts_run_sums *r, const struct ts_work_sum *all)
{
	if (r->storms.runs)
		line(cli,
		     ts_arena_printf(&cli->arena, "%s of %d and more elementwise kernels one behind the other: %s; the longest has %s.",
				     ts_trace_plural(cli, r->storms.runs, "run"), TS_RUN_LEAST, part(cli, &r->storms.work, all),
				     ts_trace_count(cli, r->storms.most)));
	if (r->launch_bound.runs)
		line(cli, ts_arena_printf(&cli->arena,
					  "%s of %d and more events that were shorter than their calls, on a stream that waited for "
					  "the host, took %s, with %s of work in %s.",
					  ts_trace_plural(cli, r->launch_bound.runs, "run"), TS_RUN_LEAST,
					  ts_trace_ms(cli, r->launch_bound.span_ns), ts_trace_ms(cli, r->launch_bound.work.ns),
					  ts_trace_plural(cli, r->launch_bound.work.count, "event")));
}

void ts_trace_breaks_text(struct ts_cli *cli, const struct ts_graph_breaks *b)
{
	if (!b->all.entries && !b->graph_calls)
		return;
	ts_text_heading(cli, "Compiled code");
	graph_breaks(cli, b);
}

enum ts_status ts_trace_marks_text(struct ts_cli *cli, const struct ts_trace_work *w, struct ts_error *err)
{
	const struct ts_work_marks *m = &w->marks;

	if (use(cli, &w->use, err) || steps(cli, &w->steps, err))
		return err->status;
	if (!m->recomputed.count && !m->rebuilt.count && !m->n_optimizers && !m->n_found && !m->unsaid_attention && !m->n_regions &&
	    !m->compiling && !m->breaks.graph_calls && !m->graph_launches && !w->use.all.graphed.count && !w->runs.storms.runs &&
	    !w->runs.launch_bound.runs)
		return TS_OK;
	ts_text_heading(cli, "What stands out");
	if (m->recomputed.count)
		line(cli, ts_arena_printf(&cli->arena, "Recomputed for checkpoints: %s.", part(cli, &m->recomputed, &w->all)));
	if (m->rebuilt.count)
		line(cli, ts_arena_printf(&cli->arena,
					  "Forward operators within the backward pass, of checkpoints or of a graph of gradients: %s.",
					  part(cli, &m->rebuilt, &w->all)));
	optimizers(cli, m, &w->all);
	attention(cli, m, &w->all);
	compiled(cli, m, &w->all);
	if (m->graph_launches)
		line(cli,
		     ts_arena_printf(&cli->arena, "CUDA graphs were launched %s.", ts_trace_plural(cli, m->graph_launches, "time")));
	if (w->use.all.graphed.count)
		line(cli, ts_arena_printf(&cli->arena, "Kernels of CUDA graphs: %s.", part(cli, &w->use.all.graphed, &w->all)));
	runs(cli, &w->runs, &w->all);
	return TS_OK;
}
