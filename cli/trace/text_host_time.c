/* text_host_time.c - where the time of the host went, as text: by step, by operator, by Python function. */
#include "cli/text/text_parts.h"
#include "cli/trace/analyze_trace.h"
#include "cli/trace/trace_cells.h"
#include "cli/view/show_value.h"
#include "proto/shape/shapes.h"

enum { STEPS_SHOWN = 16, NAMES_SHOWN = 8 };

/* --- by step --- */

static enum ts_status steps(struct ts_cli *cli, const struct ts_host_steps *h, struct ts_error *err)
{
	struct ts_view view;

	ts_text_heading(cli, "The host (what the thread of the step did, by the innermost span; the parts add up to the wall time)");
	ts_view_of(&view, &ts_shape_host_step, NULL, &cli->arena);
	ts_view_rows(&view, h->items, h->n < STEPS_SHOWN ? h->n : STEPS_SHOWN);
	ts_view_row(&view, &h->all);
	ts_view_set(&view, "step", TS_STYLE_PLAIN, "whole");
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
