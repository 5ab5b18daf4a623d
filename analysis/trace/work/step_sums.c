/* step_sums.c - what a step had the devices do, by category and by name: the mean over steps, with the least, the most and the spread.
 * */
#include "analysis/trace/work/trace_work.h"
#include "base/order.h"

#include "analysis/trace/device/device_events.h"
#include "analysis/trace/device/kernel_sums.h"
#include "base/door.h"
#include "base/scratch.h"

#include <math.h>

size_t ts_step_warmup(size_t steps)
{
	return steps >= 3;
}

TS_ORDER(most_first, struct ts_step_sum, TS_DOWN(sum.ns); TS_UP(category); TS_TEXT(name))

/* One step's sum of one id is added to the id's row: first the sums, then, when means are known, the squares. */
static void first_pass(struct ts_step_sum *row, const struct ts_work_sum *step)
{
	row->least_ns = row->sum.count == 0 || step->ns < row->least_ns ? step->ns : row->least_ns;
	row->most_ns = step->ns > row->most_ns ? step->ns : row->most_ns;
	row->mean_ns += (double)step->ns;
	ts_work_add(&row->sum, step->count, step->ns);
}

static void second_pass(struct ts_step_sum *row, const struct ts_work_sum *step)
{
	double off = (double)step->ns - row->mean_ns;

	row->deviation_ns += off * off;
}

/* Calls `add` for the sum of each step and id; counts the steps that each id has. */
static void by_step(const struct ts_device_event *w, size_t n, const struct ts_trace_spans *s, struct ts_step_sum *rows,
		    uint32_t *steps, void (*add)(struct ts_step_sum *row, const struct ts_work_sum *step))
{
	for (size_t k = 0; k < n;) {
		struct ts_work_sum sum = {0};
		size_t begin = k;

		for (; k < n && w[k].group == w[begin].group; k++)
			ts_work_add(&sum, 1, (uint64_t)s->duration_ns[w[k].row]);
		steps[(uint32_t)w[begin].group]++;
		add(&rows[(uint32_t)w[begin].group], &sum);
	}
}

/* Rows of ids; group is the step, from 1 on, and the id. */
static enum ts_status rows_of(const struct ts_trace *trace, struct ts_device_event *w, size_t n, struct ts_device_event *spare,
			      size_t ids, size_t n_steps, struct ts_arena *arena, struct ts_step_sum **ret, size_t *ret_n,
			      struct ts_error *err)
{
	struct ts_step_sum *rows = ts_arena_array(arena, ids, sizeof *rows);
	uint32_t *steps = ts_arena_array(arena, 2 * ids, sizeof *steps);
	size_t kept = 0;

	if (!rows || !steps)
		return ts_arena_error(arena, err);
	ts_device_events_by_group(w, n, spare);
	by_step(w, n, &trace->rows.spans, rows, steps, first_pass);
	for (size_t i = 0; i < ids; i++)
		rows[i].mean_ns /= (double)n_steps;
	by_step(w, n, &trace->rows.spans, rows, steps + ids, second_pass);
	for (size_t i = 0; i < ids; i++) {
		struct ts_step_sum row = rows[i];

		if (!row.sum.count)
			continue;
		if (steps[i] < n_steps)
			row.least_ns = 0;
		row.deviation_ns += (double)(n_steps - steps[i]) * row.mean_ns * row.mean_ns;
		row.deviation_ns = n_steps > 1 ? sqrt(row.deviation_ns / (double)(n_steps - 1)) : 0;
		row.mean_count = (double)row.sum.count / (double)n_steps;
		row.category = (uint32_t)i;
		rows[kept++] = row;
	}
	*ret = rows;
	*ret_n = kept;
	return TS_OK;
}

static uint32_t category_of(const struct ts_trace *trace, const uint8_t *categories, size_t i)
{
	const struct ts_trace_spans *s = &trace->rows.spans;

	if (s->kind[i] == TS_TRACE_KERNEL)
		return categories[s->name[i]];
	return s->kind[i] == TS_TRACE_COPY ? (uint32_t)TS_SUM_COPY : (uint32_t)TS_SUM_FILL;
}

static void sort(struct ts_step_sum *rows, size_t n)
{
	TS_SORT(rows, n, most_first);
}

/* The events of the steps that are counted; group is the step. */
static size_t gather(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_timelines *lines, size_t warmup,
		     struct ts_device_event *w)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		size_t step;

		if (!ts_trace_on_device(s->kind[i]))
			continue;
		step = ts_timelines_step_at(lines, s->start_ns[nest->parent[i] == TS_NEST_NONE ? i : nest->parent[i]]);
		if (step > warmup)
			w[n++] = (struct ts_device_event){.row = (uint32_t)i, .begin = (int64_t)step};
	}
	return n;
}

enum ts_status ts_step_sums(const struct ts_trace *trace, const struct ts_nest *nest, const struct ts_timelines *lines, size_t warmup,
			    struct ts_arena *arena, struct ts_step_sums *ret, struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	struct ts_step_sums out = {.warmup = warmup < lines->n_steps ? warmup : lines->n_steps};
	struct ts_device_event *w = ts_arena_array(arena, lines->all.events, sizeof *w);
	struct ts_device_event *spare = ts_arena_array(arena, lines->all.events, sizeof *spare);
	uint8_t *categories;
	size_t n;

	TS_DOOR(ts_trace_holds(trace));
	TS_DOOR(ts_nest_holds(nest, trace));
	out.steps = lines->n_steps - out.warmup;
	*ret = out;
	if (!out.steps)
		return TS_OK;
	if (!w || !spare)
		return ts_arena_error(arena, err);
	out.first = lines->steps[out.warmup].number;
	n = gather(trace, nest, lines, out.warmup, w);
	if (ts_kernel_names(trace, arena, &categories, err))
		return err->status;
	for (size_t k = 0; k < n; k++)
		w[k].group = (uint64_t)w[k].begin << 32 | category_of(trace, categories, w[k].row);
	if (rows_of(trace, w, n, spare, TS_SUM_CATEGORIES, out.steps, arena, &out.categories, &out.n_categories, err))
		return err->status;
	sort(out.categories, out.n_categories);
	for (size_t k = 0; k < n; k++) {
		categories[s->name[w[k].row]] = (uint8_t)category_of(trace, categories, w[k].row);
		w[k].group = (uint64_t)w[k].begin << 32 | s->name[w[k].row];
	}
	if (rows_of(trace, w, n, spare, trace->n_names, out.steps, arena, &out.names, &out.n_names, err))
		return err->status;
	for (size_t i = 0; i < out.n_names; i++) {
		uint32_t name = out.names[i].category;

		out.names[i].name = trace->names[name];
		out.names[i].category = categories[name];
	}
	sort(out.names, out.n_names);
	ts_scratch_give(arena, w);
	ts_scratch_give(arena, spare);
	*ret = out;
	return TS_OK;
}
