/* text_ops.c - what the devices of a trace worked on, as text: operators, modules, operations a second, copies, fills. */
#include "cli/text/show_value.h"
#include "cli/text/text_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/trace_cells.h"

enum { OPERATORS_SHOWN = 10, FILLS_SHOWN = 5, SHAPES_SHOWN = 8 };

/* --- operators --- */

static enum ts_status operators(struct ts_cli *cli, const struct ts_trace_work *w, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {{"own", TS_ALIGN_RIGHT, 0},    {"share", TS_ALIGN_RIGHT, 0},
							{"events", TS_ALIGN_RIGHT, 0}, {"total", TS_ALIGN_RIGHT, 0},
							{"ran", TS_ALIGN_RIGHT, 0},    {"operator", TS_ALIGN_LEFT, 20}};
	struct ts_grid grid;
	size_t n = 0;

	while (n < w->n_operators && w->operators[n].own.count)
		n++;
	if (!n)
		return TS_OK;
	ts_trace_heading(cli, ts_arena_printf(&cli->arena,
					      "Operators by what they launched themselves (of %s, %s, whose operator is known; total: "
					      "with the operators within)",
					      ts_trace_plural(cli, w->known.count, "event"), ts_trace_ms(cli, w->known.ns)));
	ts_grid_init(&grid, columns, 6, &cli->arena);
	for (size_t i = 0; i < n && i < OPERATORS_SHOWN; i++) {
		const struct ts_operator_sum *o = &w->operators[i];

		ts_trace_cell(&grid, ts_trace_ms(cli, o->own.ns));
		ts_trace_cell(&grid, ts_trace_percent(cli, o->own.ns, w->known.ns));
		ts_trace_cell(&grid, ts_trace_count(cli, o->own.count));
		ts_trace_cell(&grid, ts_trace_ms(cli, o->total.ns));
		ts_trace_cell(&grid, ts_trace_count(cli, o->count));
		ts_trace_name(cli, &grid, o->name);
	}
	if (ts_grid_print(&grid, &cli->term, 2, &cli->out, err))
		return err->status;
	ts_trace_more(cli, n, OPERATORS_SHOWN, "operator");
	if (w->unknown.count)
		ts_text_wrapped(cli, TS_STYLE_DIM, 2,
				ts_arena_printf(&cli->arena, "no operator is known of %s, %s",
						ts_trace_plural(cli, w->unknown.count, "event"), ts_trace_ms(cli, w->unknown.ns)));
	return TS_OK;
}

/* --- modules --- */

static enum ts_status modules(struct ts_cli *cli, const struct ts_module_sums *m, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {{"own forward", TS_ALIGN_RIGHT, 0},   {"own backward", TS_ALIGN_RIGHT, 0},
							{"total forward", TS_ALIGN_RIGHT, 0}, {"total backward", TS_ALIGN_RIGHT, 0},
							{"ran", TS_ALIGN_RIGHT, 0},	      {"module", TS_ALIGN_LEFT, 20}};
	struct ts_grid grid;

	if (!m->forward.count && !m->backward.count)
		return TS_OK;
	ts_trace_heading(cli, ts_arena_printf(&cli->arena,
					      "Modules (launched within them: %s; by the backward pass of their operators: %s; "
					      "neither: %s)",
					      ts_trace_ms(cli, m->forward.ns), ts_trace_ms(cli, m->backward.ns),
					      ts_trace_ms(cli, m->outside.ns + m->unlinked.ns)));
	ts_grid_init(&grid, columns, 6, &cli->arena);
	for (size_t i = 0; i < m->n && i < OPERATORS_SHOWN; i++) {
		const struct ts_module_sum *row = &m->items[i];

		ts_trace_cell(&grid, ts_trace_ms(cli, row->own_forward.ns));
		ts_trace_cell(&grid, ts_trace_ms(cli, row->own_backward.ns));
		ts_trace_cell(&grid, ts_trace_ms(cli, row->total_forward.ns));
		ts_trace_cell(&grid, ts_trace_ms(cli, row->total_backward.ns));
		ts_trace_cell(&grid, ts_trace_count(cli, row->count));
		ts_trace_name(cli, &grid, row->name);
	}
	if (ts_grid_print(&grid, &cli->term, 2, &cli->out, err))
		return err->status;
	ts_trace_more(cli, m->n, OPERATORS_SHOWN, "module");
	if (m->unlinked.count)
		ts_text_wrapped(cli, TS_STYLE_DIM, 2,
				ts_arena_printf(&cli->arena, "the forward operator of %s of the backward pass, %s, is not known",
						ts_trace_plural(cli, m->unlinked.count, "event"), ts_trace_ms(cli, m->unlinked.ns)));
	return TS_OK;
}

/* --- operations a second --- */

static const char *tera(struct ts_cli *cli, double flops, const char *unit)
{
	return ts_arena_printf(&cli->arena, "%.4g %s", flops / 1e12, unit);
}

static void flop_row(struct ts_cli *cli, struct ts_grid *grid, const struct ts_flop_sum *f)
{
	bool rated = f->has_achieved && f->has_peak;
	const char *share = rated ? ts_arena_printf(&cli->arena, "%.1f %%", 100 * f->achieved / f->peak) : "-";

	ts_trace_cell(grid, ts_trace_count(cli, f->count));
	ts_trace_cell(grid, tera(cli, (double)f->flops, "TFLOP"));
	ts_trace_cell(grid, f->timed ? ts_trace_ms(cli, f->work.ns) : "not recorded");
	ts_trace_cell(grid, f->has_achieved ? tera(cli, f->achieved, "TFLOP/s") : "-");
	ts_trace_cell(grid, share);
	ts_trace_cell(grid, f->type ? f->type : "-");
	ts_trace_name(cli, grid, f->name.len ? f->name : ts_span_str("all"));
	ts_trace_name(cli, grid, f->shapes);
}

/* "In all the time that devices worked, 1.2 ms, these operations are 114.7 TFLOP/s, 11.6 % of the peak." */
static void of_busy(struct ts_cli *cli, const struct ts_flop_sums *f)
{
	const char *share =
		f->all.has_peak ? ts_arena_printf(&cli->arena, ", %.1f %% of the peak", 100 * f->of_busy / f->all.peak) : "";

	if (f->has_of_busy)
		ts_text_wrapped(cli, TS_STYLE_PLAIN, 2,
				ts_arena_printf(&cli->arena, "In all the time that devices worked, %s, these operations are %s%s%s.",
						ts_trace_ms(cli, f->busy_ns), f->unknown ? "at least " : "",
						tera(cli, f->of_busy, "TFLOP/s"), share ? share : ""));
}

static enum ts_status flops(struct ts_cli *cli, const struct ts_flop_sums *f, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {{"ran", TS_ALIGN_RIGHT, 0},	    {"operations", TS_ALIGN_RIGHT, 0},
							{"time", TS_ALIGN_RIGHT, 0},	    {"achieved", TS_ALIGN_RIGHT, 0},
							{"of the peak", TS_ALIGN_RIGHT, 0}, {"type", TS_ALIGN_LEFT, 0},
							{"operator", TS_ALIGN_LEFT, 12},    {"shapes", TS_ALIGN_LEFT, 12}};
	struct ts_grid grid;

	if (!f->all.count)
		return TS_OK;
	ts_text_heading(cli, "Operations of matrix products, convolutions and attention, by shapes (time: of what they launched)");
	ts_grid_init(&grid, columns, 8, &cli->arena);
	flop_row(cli, &grid, &f->all);
	for (size_t i = 0; i < f->n && i < SHAPES_SHOWN; i++)
		flop_row(cli, &grid, &f->items[i]);
	if (ts_grid_print(&grid, &cli->term, 2, &cli->out, err))
		return err->status;
	ts_trace_more(cli, f->n, SHAPES_SHOWN, "row");
	of_busy(cli, f);
	if (f->unknown)
		ts_text_wrapped(cli, TS_STYLE_DIM, 2,
				ts_arena_printf(&cli->arena, "not counted, as its arguments do not say enough: %s, %s",
						ts_trace_plural(cli, f->unknown, "operator"), ts_trace_ms(cli, f->unknown_work.ns)));
	if (f->no_peak && f->all.timed)
		ts_text_wrapped(cli, TS_STYLE_DIM, 2, ts_arena_printf(&cli->arena, "%s, so no peak is said.", f->no_peak));
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
	static const struct ts_grid_column columns[] = {{"copies", TS_ALIGN_LEFT, 0}, {"count", TS_ALIGN_RIGHT, 0},
							{"sum", TS_ALIGN_RIGHT, 0},   {"say bytes", TS_ALIGN_RIGHT, 0},
							{"bytes", TS_ALIGN_RIGHT, 0}, {"bandwidth", TS_ALIGN_RIGHT, 0}};
	struct ts_grid grid;

	if (!t->n_copies)
		return TS_OK;
	ts_text_heading(cli, "Copies by direction (bandwidth: bytes by duration, of those that say their bytes)");
	ts_grid_init(&grid, columns, 6, &cli->arena);
	for (size_t i = 0; i < t->n_copies; i++) {
		const struct ts_copy_sum *c = &t->copies[i];

		ts_trace_cell(&grid, way(cli, c));
		ts_trace_cell(&grid, ts_trace_count(cli, c->sum.count));
		ts_trace_cell(&grid, ts_trace_ms(cli, c->sum.ns));
		ts_trace_cell(&grid, ts_trace_count(cli, c->sized));
		ts_trace_cell(&grid, c->sized ? ts_trace_count(cli, c->bytes) : "not recorded");
		ts_trace_cell(&grid, bandwidth(cli, c));
	}
	return ts_grid_print(&grid, &cli->term, 2, &cli->out, err);
}

static enum ts_status fills(struct ts_cli *cli, const struct ts_transfers *t, struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {
		{"sum", TS_ALIGN_RIGHT, 0}, {"count", TS_ALIGN_RIGHT, 0}, {"operator", TS_ALIGN_LEFT, 0}, {"shape", TS_ALIGN_LEFT, 20}};
	struct ts_grid grid;

	if (!t->n_fills)
		return TS_OK;
	ts_trace_heading(cli, ts_arena_printf(&cli->arena, "Fills by shape of the operator that launched them: %s, %s",
					      ts_trace_plural(cli, t->filled.count, "event"), ts_trace_ms(cli, t->filled.ns)));
	ts_grid_init(&grid, columns, 4, &cli->arena);
	for (size_t i = 0; i < t->n_fills && i < FILLS_SHOWN; i++) {
		const struct ts_fill_sum *f = &t->fills[i];

		ts_trace_cell(&grid, ts_trace_ms(cli, f->sum.ns));
		ts_trace_cell(&grid, ts_trace_count(cli, f->sum.count));
		ts_trace_name(cli, &grid, f->in_operator.len ? f->in_operator : ts_span_str("not known"));
		ts_trace_name(cli, &grid, f->shape.len ? f->shape : ts_span_str("not recorded"));
	}
	if (ts_grid_print(&grid, &cli->term, 2, &cli->out, err))
		return err->status;
	ts_trace_more(cli, t->n_fills, FILLS_SHOWN, "row");
	return TS_OK;
}

enum ts_status ts_trace_ops_text(struct ts_cli *cli, const struct ts_trace_answer *a, struct ts_error *err)
{
	const struct ts_trace_work *w = &a->work;

	if (operators(cli, w, err) || modules(cli, &w->modules, err) || flops(cli, &w->flops, err) || copies(cli, &w->transfers, err) ||
	    fills(cli, &w->transfers, err))
		return err->status;
	return ts_trace_marks_text(cli, w, err);
}
