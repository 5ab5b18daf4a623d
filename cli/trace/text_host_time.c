/* text_host_time.c - where the time of the host went, as text: by step, by operator, by Python function. */
#include "cli/text/show_value.h"
#include "cli/text/text_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/trace_cells.h"

enum { STEPS_SHOWN = 16, NAMES_SHOWN = 8 };

/* --- by step --- */

static void step_row(struct ts_cli *cli, struct ts_grid *grid, const char *step, const struct ts_host_step *s)
{
	ts_trace_cell(grid, step);
	ts_trace_cell(grid, ts_trace_ms(cli, s->wall_ns));
	for (int i = 0; i < TS_HOST_PARTS; i++)
		ts_trace_cell(grid, s->parts[i] ? ts_trace_ms(cli, s->parts[i]) : "");
}

static enum ts_status steps(struct ts_cli *cli, const struct ts_host_steps *h, struct ts_error *err)
{
	struct ts_grid_column columns[2 + TS_HOST_PARTS] = {{"step", TS_ALIGN_LEFT, 0}, {"wall", TS_ALIGN_RIGHT, 0}};
	struct ts_grid grid;

	for (int i = 0; i < TS_HOST_PARTS; i++)
		columns[2 + i] = (struct ts_grid_column){ts_host_part_word((enum ts_host_part)i), TS_ALIGN_RIGHT, 0};
	ts_text_heading(cli, "The host (what the thread of the step did, by the innermost span; the parts add up to the wall time)");
	ts_grid_init(&grid, columns, 2 + TS_HOST_PARTS, &cli->arena);
	for (size_t i = 0; i < h->n && i < STEPS_SHOWN; i++)
		step_row(cli, &grid, ts_show_step(h->items[i].number, &cli->arena), &h->items[i]);
	step_row(cli, &grid, "whole", &h->all);
	if (ts_grid_print(&grid, &cli->term, 2, &cli->out, err))
		return err->status;
	ts_trace_more(cli, h->n, STEPS_SHOWN, "step");
	return TS_OK;
}

/* --- by name --- */

static void sum_row(struct ts_cli *cli, struct ts_grid *grid, const struct ts_host_sum *s, uint64_t wall)
{
	ts_trace_cell(grid, ts_trace_ms(cli, s->self_ns));
	ts_trace_cell(grid, ts_trace_percent(cli, s->self_ns, wall));
	ts_trace_cell(grid, ts_trace_ms(cli, s->total_ns));
	ts_trace_cell(grid, ts_trace_count(cli, s->count));
	ts_trace_cell(grid, ts_trace_ms(cli, s->longest_ns));
	ts_trace_cell(grid, ts_host_thread_word(s->on));
	ts_trace_name(cli, grid, s->name);
}

/* The first of each kind of thread. */
static enum ts_status sums(struct ts_cli *cli, const char *title, const struct ts_host_sum *items, size_t n, uint64_t wall,
			   struct ts_error *err)
{
	static const struct ts_grid_column columns[] = {{"self", TS_ALIGN_RIGHT, 0},	{"of the wall", TS_ALIGN_RIGHT, 0},
							{"total", TS_ALIGN_RIGHT, 0},	{"count", TS_ALIGN_RIGHT, 0},
							{"longest", TS_ALIGN_RIGHT, 0}, {"thread", TS_ALIGN_LEFT, 0},
							{"name", TS_ALIGN_LEFT, 20}};
	size_t shown = 0, of_kind = 0;
	struct ts_grid grid;

	if (!n)
		return TS_OK;
	ts_text_heading(cli, title);
	ts_grid_init(&grid, columns, 7, &cli->arena);
	for (size_t i = 0; i < n; i++) {
		of_kind = i && items[i].on == items[i - 1].on ? of_kind + 1 : 0;
		if (of_kind >= NAMES_SHOWN)
			continue;
		sum_row(cli, &grid, &items[i], wall);
		shown++;
	}
	if (ts_grid_print(&grid, &cli->term, 2, &cli->out, err))
		return err->status;
	ts_trace_more(cli, n, shown, "name");
	return TS_OK;
}

enum ts_status ts_trace_host_time_text(struct ts_cli *cli, const struct ts_trace_answer *a, struct ts_error *err)
{
	const struct ts_trace_host *h = &a->host;
	uint64_t wall = h->steps.all.wall_ns;

	if (!wall)
		return TS_OK;
	if (steps(cli, &h->steps, err) ||
	    sums(cli, "Operators by self time (what nothing within them covers), on each kind of thread", h->sums.operators,
		 h->sums.n_operators, wall, err) ||
	    sums(cli, "Python functions by self time", h->sums.python, h->sums.n_python, wall, err))
		return err->status;
	return TS_OK;
}
