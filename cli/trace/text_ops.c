/* text_ops.c - what the devices of a trace worked on, as text: operators, modules, operations a second, copies, fills. */
#include "cli/text/text_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/trace_cells.h"
#include "cli/view/show_value.h"
#include "proto/shape/shapes.h"

enum { OPERATORS_SHOWN = 10, FILLS_SHOWN = 5, SHAPES_SHOWN = 8 };

/* --- operators --- */

static enum ts_status operators(struct ts_cli *cli, const struct ts_trace_work *w, struct ts_error *err)
{
	struct ts_first_rows rows = {&ts_shape_trace_operator,
				     "own.sum_ns own.sum_ns% own.count total.sum_ns count name",
				     w->operators,
				     0,
				     OPERATORS_SHOWN,
				     "operator",
				     w->known.ns};
	size_t n = 0;

	while (n < w->n_operators && w->operators[n].own.count)
		n++;
	if (!n)
		return TS_OK;
	ts_trace_heading(cli, ts_arena_printf(&cli->arena,
					      "Operators by what they launched themselves (of %s, %s, whose operator is known; total: "
					      "with the operators within)",
					      ts_trace_plural(cli, w->known.count, "event"), ts_trace_ms(cli, w->known.ns)));
	rows.n = n;
	if (ts_trace_table(cli, &rows, err))
		return err->status;
	if (w->unknown.count)
		ts_text_wrapped(cli, TS_STYLE_DIM, 2,
				ts_arena_printf(&cli->arena, "no operator is known of %s, %s",
						ts_trace_plural(cli, w->unknown.count, "event"), ts_trace_ms(cli, w->unknown.ns)));
	return TS_OK;
}

/* --- modules --- */

static enum ts_status modules(struct ts_cli *cli, const struct ts_module_sums *m, struct ts_error *err)
{
	const struct ts_first_rows rows = {
		&ts_shape_trace_module,
		"own_forward.sum_ns own_backward.sum_ns total_forward.sum_ns total_backward.sum_ns count name",
		m->items,
		m->n,
		OPERATORS_SHOWN,
		"module",
		0};

	if (!m->forward.count && !m->backward.count)
		return TS_OK;
	ts_trace_heading(cli, ts_arena_printf(&cli->arena,
					      "Modules (launched within them: %s; by the backward pass of their operators: %s; "
					      "neither: %s)",
					      ts_trace_ms(cli, m->forward.ns), ts_trace_ms(cli, m->backward.ns),
					      ts_trace_ms(cli, m->outside.ns + m->unlinked.ns)));
	if (ts_trace_table(cli, &rows, err))
		return err->status;
	if (m->unlinked.count)
		ts_text_wrapped(cli, TS_STYLE_DIM, 2,
				ts_arena_printf(&cli->arena, "the forward operator of %s of the backward pass, %s, is not known",
						ts_trace_plural(cli, m->unlinked.count, "event"), ts_trace_ms(cli, m->unlinked.ns)));
	return TS_OK;
}

/* --- graphs --- */

static const char *part_of(struct ts_cli *cli, const char *what, const struct ts_work_sum *part, const struct ts_work_sum *of)
{
	return ts_arena_printf(&cli->arena, "%s of %s, %s (%s)", what, ts_trace_plural(cli, part->count, "event"),
			       ts_trace_ms(cli, part->ns), ts_trace_percent(cli, part->ns, of->ns));
}

/* Nothing where no capture was given. */
static enum ts_status graphs(struct ts_cli *cli, const struct ts_trace_answer *a, struct ts_error *err)
{
	const struct ts_graph_work *g = &a->graphs;
	struct ts_first_rows rows = {&ts_shape_trace_operator,
				     "own.sum_ns own.sum_ns% own.count total.sum_ns count name",
				     g->operators,
				     0,
				     OPERATORS_SHOWN,
				     "operator",
				     g->linked.ns};

	if (!a->has_graphs)
		return TS_OK;
	while (rows.n < g->n_operators && g->operators[rows.n].own.count)
		rows.n++;
	ts_trace_heading(cli, ts_arena_printf(&cli->arena,
					      "What graphs ran, by the operators and modules that captured it (%s, %s; the trace of "
					      "the capture has %s)",
					      ts_trace_plural(cli, g->all.count, "event"), ts_trace_ms(cli, g->all.ns),
					      ts_trace_plural(cli, g->captures, "capture")));
	ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
			ts_arena_printf(&cli->arena,
					"%s. The capture of %s of %s launched was found. %s; %s. Of all work of devices the graphs' "
					"part with a known module is %s.",
					part_of(cli, "The call that captured it is known", &g->linked, &g->all),
					ts_trace_count(cli, g->found), ts_trace_plural(cli, g->graphs, "graph"),
					part_of(cli, "An operator is known", &g->in_operator, &g->all),
					part_of(cli, "a module", &g->in_module, &g->all),
					ts_trace_percent(cli, g->in_module.ns, g->device.ns)));
	if (g->by_order.count)
		ts_text_wrapped(cli, TS_STYLE_DIM, 2,
				ts_arena_printf(&cli->arena,
						"%s: the calls do not name their kernels, and the kernels do not say their nodes",
						part_of(cli, "By its order alone this is known", &g->by_order, &g->all)));
	return rows.n && (ts_trace_table(cli, &rows, err) || modules(cli, &g->modules, err)) ? err->status : TS_OK;
}

/* --- operations a second --- */

static const char *tera(struct ts_cli *cli, double flops, const char *unit)
{
	return ts_arena_printf(&cli->arena, "%.4g %s", flops / 1e12, unit);
}

/* "memory, 29.0 %": what it is bound by at best, and how much of that it has. */
static const char *roof(struct ts_cli *cli, const struct ts_flop_sum *f)
{
	if (!f->bound)
		return "-";
	if (f->bound == TS_ROOF_MEMORY && f->has_bandwidth)
		return ts_arena_printf(&cli->arena, "memory, %.1f %%", 100 * f->bandwidth / f->peak_bandwidth);
	if (f->bound == TS_ROOF_COMPUTE && f->has_achieved)
		return ts_arena_printf(&cli->arena, "compute, %.1f %%", 100 * f->achieved / f->peak);
	return ts_roof_word(f->bound);
}

static void flop_row(struct ts_cli *cli, struct ts_view *view, const struct ts_flop_sum *f)
{
	bool rated = f->has_achieved && f->has_peak;
	const char *share = rated ? ts_arena_printf(&cli->arena, "%.1f %%", 100 * f->achieved / f->peak) : "-";

	ts_view_row(view, f);
	ts_view_set(view, "operations", TS_STYLE_PLAIN, tera(cli, (double)f->flops, "TFLOP"));
	if (!f->timed)
		ts_view_set(view, "launched.sum_ns", TS_STYLE_PLAIN, "not recorded");
	ts_view_set(view, "achieved", TS_STYLE_PLAIN, f->has_achieved ? tera(cli, f->achieved, "TFLOP/s") : "-");
	ts_view_set(view, "share", TS_STYLE_PLAIN, share);
	ts_view_set(view, "moved", TS_STYLE_PLAIN, f->has_bandwidth ? tera(cli, f->bandwidth, "TB/s") : "-");
	ts_view_set(view, "bound", TS_STYLE_PLAIN, roof(cli, f));
}

/* "In all the time that devices worked, 1.2 ms, these operations are 114.7 TFLOP/s, 11.6 % of the peak." */
static void of_busy(struct ts_cli *cli, const struct ts_flop_sums *f)
{
	const char *share =
		f->all.has_peak ? ts_arena_printf(&cli->arena, ", %.1f %% of the peak", 100 * f->of_busy / f->all.peak) : "";

	if (f->has_of_busy)
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
				ts_arena_printf(&cli->arena, "In all the time that devices worked, %s, these operations are %s%s%s.",
						ts_trace_ms(cli, f->busy_ns),
						f->unknown || f->all.timed < f->all.count ? "at least " : "",
						tera(cli, f->of_busy, "TFLOP/s"), share ? share : ""));
}

static enum ts_status moves(struct ts_cli *cli, const struct ts_flop_sums *f, struct ts_error *err)
{
	static const struct ts_view_column made[] = {{.head = "moved", .align = TS_ALIGN_RIGHT, .key = "moved"},
						     {.head = "of the peak", .align = TS_ALIGN_RIGHT, .key = "share"}};
	struct ts_view view;

	if (!f->all.timed)
		return TS_OK;
	ts_text_heading(cli, "Elementwise operators and norms, which memory bounds, by shapes (time: of what they launched)");
	ts_view_with(&view, &ts_shape_trace_flops, "count launched.sum_ns moved share dtype operator shapes", TS_VIEW_COLUMNS(made),
		     &cli->arena);
	for (size_t i = 0; i < f->n && i < SHAPES_SHOWN && f->items[i].timed; i++) {
		const struct ts_flop_sum *row = &f->items[i];
		bool rated = row->has_bandwidth && row->has_peak_bandwidth;

		ts_view_row(&view, row);
		ts_view_set(&view, "moved", TS_STYLE_PLAIN, row->has_bandwidth ? tera(cli, row->bandwidth, "TB/s") : "-");
		ts_view_set(&view, "share", TS_STYLE_PLAIN,
			    rated ? ts_arena_printf(&cli->arena, "%.1f %%", 100 * row->bandwidth / row->peak_bandwidth) : "-");
	}
	if (ts_trace_print(cli, &view, err))
		return err->status;
	ts_trace_more(cli, f->n, SHAPES_SHOWN, "row");
	return TS_OK;
}

static enum ts_status flops(struct ts_cli *cli, const struct ts_flop_sums *f, struct ts_span device, struct ts_error *err)
{
	static const struct ts_view_column made[] = {
		TS_RIGHT("operations"), TS_RIGHT("achieved"), {.head = "of the peak", .align = TS_ALIGN_RIGHT, .key = "share"},
		{.head = "moved", .align = TS_ALIGN_RIGHT, .key = "moved"}, {.head = "at best by", .key = "bound"}};
	const char *name = ts_show_text(device, &cli->arena);
	const char *on = name && *name ? ts_arena_printf(&cli->arena, " (%s)", name) : "";
	struct ts_view view;

	if (!f->all.count)
		return TS_OK;
	ts_text_heading(cli, "Operations of matrix products, convolutions and attention, by shapes (time: of what they launched)");
	ts_view_with(&view, &ts_shape_trace_flops, "count operations launched.sum_ns achieved share moved bound dtype operator shapes",
		     TS_VIEW_COLUMNS(made), &cli->arena);
	flop_row(cli, &view, &f->all);
	for (size_t i = 0; i < f->n && i < SHAPES_SHOWN; i++)
		flop_row(cli, &view, &f->items[i]);
	if (ts_trace_print(cli, &view, err))
		return err->status;
	ts_trace_more(cli, f->n, SHAPES_SHOWN, "row");
	of_busy(cli, f);
	if (f->unknown)
		ts_text_wrapped(cli, TS_STYLE_DIM, 2,
				ts_arena_printf(&cli->arena, "not counted, as its arguments do not say enough: %s, %s",
						ts_trace_plural(cli, f->unknown, "operator"), ts_trace_ms(cli, f->unknown_work.ns)));
	if (f->no_peak && f->all.timed)
		ts_text_wrapped(cli, TS_STYLE_DIM, 2, ts_arena_printf(&cli->arena, "no peak is said%s: %s", on ? on : "", f->no_peak));
	return TS_OK;
}

/* --- copies and fills --- */

/* Bytes by nanoseconds are GB/s. */
static const char *bandwidth(struct ts_cli *cli, const struct ts_copy_sum *c)
{
	if (!c->sized || !c->sized_ns)
		return "-";
	return ts_arena_printf(&cli->arena, "%.3g GB/s", (double)c->bytes / (double)c->sized_ns);
}

static const char *way(struct ts_cli *cli, const struct ts_copy_sum *c)
{
	const char *word = ts_direction_word(c->direction);

	return c->memory == TS_HOST_MEMORY_UNSAID ? word : ts_arena_printf(&cli->arena, "%s, %s", word, ts_host_memory_word(c->memory));
}

static enum ts_status copies(struct ts_cli *cli, const struct ts_transfers *t, struct ts_error *err)
{
	static const struct ts_view_column made[] = {
		TS_LEFT("copies", 0), {.head = "count", .key = "copied.count"}, TS_RIGHT("bandwidth")};
	struct ts_view view;

	if (!t->n_copies)
		return TS_OK;
	ts_text_heading(cli, "Copies by direction (bandwidth: bytes by duration, of those that say their bytes)");
	ts_view_with(&view, &ts_shape_trace_copies, "copies copied.count copied.sum_ns sized_count byte_count bandwidth",
		     TS_VIEW_COLUMNS(made), &cli->arena);
	for (size_t i = 0; i < t->n_copies; i++) {
		ts_view_row(&view, &t->copies[i]);
		ts_view_set(&view, "copies", TS_STYLE_PLAIN, way(cli, &t->copies[i]));
		ts_view_set(&view, "bandwidth", TS_STYLE_PLAIN, bandwidth(cli, &t->copies[i]));
	}
	return ts_trace_print(cli, &view, err);
}

static const char *giga(struct ts_cli *cli, bool has, double bytes)
{
	return has ? ts_arena_printf(&cli->arena, "%.4g GB/s", bytes / 1e9) : "-";
}

static enum ts_status collectives(struct ts_cli *cli, const struct ts_collective_sums *c, struct ts_error *err)
{
	static const struct ts_view_column made[] = {{.head = "count", .key = "launched.count"}, TS_RIGHT("algorithm"), TS_RIGHT("bus"),
						     {.head = "bus, shortest", .align = TS_ALIGN_RIGHT, .key = "most"}};
	struct ts_view view;

	if (!c->n && !c->unsized.count)
		return TS_OK;
	ts_text_heading(cli, "Collectives by size (bandwidths are the least: a kernel waits for other ranks, too; the shortest waited "
			     "least)");
	ts_view_with(&view, &ts_shape_trace_collectives, "kind bytes rank_count launched.count launched.sum_ns algorithm bus most",
		     TS_VIEW_COLUMNS(made), &cli->arena);
	for (size_t i = 0; i < c->n && i < SHAPES_SHOWN; i++) {
		const struct ts_collective_sum *s = &c->items[i];

		ts_view_row(&view, s);
		ts_view_set(&view, "algorithm", TS_STYLE_PLAIN, giga(cli, s->has_rate, s->algorithm));
		ts_view_set(&view, "bus", TS_STYLE_PLAIN, giga(cli, s->has_bus, s->bus));
		ts_view_set(&view, "most", TS_STYLE_PLAIN, giga(cli, s->bus_most > 0, s->bus_most));
	}
	if (c->n && ts_trace_print(cli, &view, err))
		return err->status;
	ts_trace_more(cli, c->n, SHAPES_SHOWN, "row");
	if (c->unsized.count)
		ts_text_wrapped(cli, TS_STYLE_DIM, 2,
				ts_arena_printf(&cli->arena, "the size or the type of %s, %s, is not known",
						ts_trace_plural(cli, c->unsized.count, "kernel"), ts_trace_ms(cli, c->unsized.ns)));
	return TS_OK;
}

static enum ts_status fills(struct ts_cli *cli, const struct ts_transfers *t, struct ts_error *err)
{
	static const struct ts_view_column made[] = {{.head = "count", .key = "filled.count"}};
	size_t shown = t->n_fills < FILLS_SHOWN ? t->n_fills : FILLS_SHOWN;
	struct ts_view view;

	if (!t->n_fills)
		return TS_OK;
	ts_trace_heading(cli, ts_arena_printf(&cli->arena, "Fills by shape of the operator that launched them: %s, %s",
					      ts_trace_plural(cli, t->filled.count, "event"), ts_trace_ms(cli, t->filled.ns)));
	ts_view_with(&view, &ts_shape_trace_fills, "filled.sum_ns filled.count operator shape", TS_VIEW_COLUMNS(made), &cli->arena);
	ts_view_rows(&view, t->fills, shown);
	if (ts_trace_print(cli, &view, err))
		return err->status;
	ts_trace_more(cli, t->n_fills, shown, "row");
	return TS_OK;
}

enum ts_status ts_trace_ops_text(struct ts_cli *cli, const struct ts_trace_answer *a, struct ts_error *err)
{
	const struct ts_trace_work *w = &a->work;

	if (operators(cli, w, err) || modules(cli, &w->modules, err) || graphs(cli, a, err) ||
	    flops(cli, &w->flops, a->device_name, err) || moves(cli, &w->moves, err) || collectives(cli, &w->collectives, err) ||
	    copies(cli, &w->transfers, err) || fills(cli, &w->transfers, err))
		return err->status;
	return ts_trace_marks_text(cli, w, err);
}
