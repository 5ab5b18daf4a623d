/* text_host_time.c - where the time of the host went, as text: by step, by operator, by Python function. */
#include "cli/text/text_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/trace_cells.h"
#include "cli/view/show_value.h"
#include "proto/shape/shapes.h"

enum { STEPS_SHOWN = 16, NAMES_SHOWN = 8 };

/* --- by step --- */

static void step_row(struct ts_cli *cli, struct ts_view *view, const char *step, const struct ts_host_step *s)
{
	ts_trace_cell(view, step);
	ts_trace_cell(view, ts_trace_ms(cli, s->wall_ns));
	for (int i = 0; i < TS_HOST_PARTS; i++)
		ts_trace_cell(view, s->parts[i] ? ts_trace_ms(cli, s->parts[i]) : "");
}

static enum ts_status steps(struct ts_cli *cli, const struct ts_host_steps *h, struct ts_error *err)
{
	struct ts_view_column columns[2 + TS_HOST_PARTS] = {TS_LEFT("step", 0), TS_RIGHT("wall")};
	struct ts_view view;

	for (int i = 0; i < TS_HOST_PARTS; i++)
		columns[2 + i] = (struct ts_view_column)TS_RIGHT(ts_host_part_word((enum ts_host_part)i));
	ts_text_heading(cli, "The host (what the thread of the step did, by the innermost span; the parts add up to the wall time)");
	ts_view_init(&view, columns, 2 + TS_HOST_PARTS, &cli->arena);
	for (size_t i = 0; i < h->n && i < STEPS_SHOWN; i++)
		step_row(cli, &view, ts_show_step(h->items[i].number, &cli->arena), &h->items[i]);
	step_row(cli, &view, "whole", &h->all);
	if (ts_trace_print(cli, &view, err))
		return err->status;
	ts_trace_more(cli, h->n, STEPS_SHOWN, "step");
	return TS_OK;
}

/* --- by name --- */

/* The first of each kind of thread. */
static enum ts_status sums(struct ts_cli *cli, const char *title, const struct ts_host_sum *items, size_t n, uint64_t wall,
			   struct ts_error *err)
{
	size_t shown = 0, of_kind = 0;
	struct ts_view view;

	if (!n)
		return TS_OK;
	ts_text_heading(cli, title);
	ts_view_of(&view, &ts_shape_trace_host_sum, "self_ns self_ns% total_ns count longest_ns thread_kind name", &cli->arena);
	view.whole = wall;
	for (size_t i = 0; i < n; i++) {
		of_kind = i && items[i].on == items[i - 1].on ? of_kind + 1 : 0;
		if (of_kind >= NAMES_SHOWN)
			continue;
		ts_view_row(&view, &items[i]);
		shown++;
	}
	if (ts_trace_print(cli, &view, err))
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
