/* summarize.c - makes the summary of a trace's kernels. */
#include "analysis/trace/diff/summarize.h"

#include "analysis/trace/device/kernel_sums.h"
#include "analysis/trace/device/saturate.h"
#include "analysis/trace/diff/trace_diff.h"
#include "base/door.h"
#include "base/order.h"

/* A name that events of devices have. Names that are alike without arguments are one kernel, if they are of one category. */
struct used {
	struct ts_span name;
	uint32_t category;
	uint32_t number; /* of the trace's names */
};

struct kernel {
	struct ts_span name;
	uint32_t category;
	uint64_t ns;
	struct ts_summary_row row;
};

struct call {
	uint32_t kernel, step;
	uint64_t ns;
};

struct summarizing {
	const struct ts_trace_side *side;
	struct ts_arena *arena;
	struct kernel *kernels;
	size_t n_kernels;
	uint32_t *kernel_of; /* of each name of the trace */
	struct call *calls;
	size_t n_calls;
};

TS_ORDER(used_by_name, struct used, TS_TEXT(name); TS_UP(category))
TS_ORDER(longest_first, struct kernel, TS_DOWN(ns); TS_TEXT(name); TS_UP(category))
TS_ORDER(call_by_cell, struct call, TS_UP(kernel); TS_UP(step); TS_UP(ns))

static bool counts(const struct ts_trace_side *side, size_t i)
{
	return ts_trace_on_device(side->trace->rows.spans.kind[i]) && side->step[i] != TS_SIDE_NO_STEP;
}

/* --- kernels --- */

/* The names in use, each once. */
static size_t find_used(struct summarizing *m, struct used *used)
{
	const struct ts_trace *trace = m->side->trace;
	const struct ts_trace_spans *s = &trace->rows.spans;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (!counts(m->side, i) || m->kernel_of[s->name[i]])
			continue;
		m->kernel_of[s->name[i]] = 1;
		used[n++] = (struct used){.name = ts_kernel_without_arguments(trace->names[s->name[i]]),
					  .category = ts_sum_category_of(trace, i),
					  .number = s->name[i]};
	}
	TS_SORT(used, n, used_by_name);
	return n;
}

static enum ts_status find_kernels(struct summarizing *m, struct ts_error *err)
{
	const struct ts_trace *trace = m->side->trace;
	struct used *used = ts_arena_array(m->arena, trace->n_names, sizeof *used);
	size_t n;

	m->kernel_of = ts_arena_array(m->arena, trace->n_names, sizeof *m->kernel_of);
	m->kernels = ts_arena_array(m->arena, trace->n_names, sizeof *m->kernels);
	if (!used || !m->kernel_of || !m->kernels)
		return ts_arena_error(m->arena, err);
	n = find_used(m, used);
	for (size_t i = 0; i < n; i++) {
		if (!i || used_by_name(&used[i - 1], &used[i]) != 0)
			m->kernels[m->n_kernels++] = (struct kernel){
				.name = used[i].name,
				.category = used[i].category,
				.row = {.category = ts_span_str(ts_sum_category_word(used[i].category)),
					.name = ts_summary_name(used[i].name, m->arena)}};
		m->kernel_of[used[i].number] = (uint32_t)(m->n_kernels - 1);
	}
	return ts_arena_check(m->arena, err);
}

/* --- cells --- */

static enum ts_status make_bins(const struct call *calls, size_t n, struct ts_arena *arena, struct ts_summary_cell *cell,
				struct ts_error *err)
{
	cell->bins = ts_arena_array(arena, n, sizeof *cell->bins);
	if (!cell->bins)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++) {
		uint32_t bin = ts_summary_bin_of(calls[i].ns);

		if (!cell->n_bins || cell->bins[cell->n_bins - 1].bin != bin)
			cell->bins[cell->n_bins++] = (struct ts_summary_bin){.bin = bin};
		cell->bins[cell->n_bins - 1].calls++;
	}
	return TS_OK;
}

/* The cell of calls that are sorted. */
static enum ts_status make_cell(const struct call *calls, size_t n, struct ts_arena *arena, struct ts_summary_cell *ret,
				struct ts_error *err)
{
	struct ts_summary_cell cell = {.step = calls[0].step, .calls = n, .least_ns = calls[0].ns, .most_ns = calls[n - 1].ns};

	for (size_t i = 0; i < n; i++)
		cell.sum_ns = ts_plus(cell.sum_ns, calls[i].ns);
	if (n > TS_SUMMARY_TOLD && make_bins(calls, n, arena, &cell, err))
		return err->status;
	*ret = cell;
	return TS_OK;
}

static enum ts_status list_calls(struct summarizing *m, struct ts_error *err)
{
	const struct ts_trace_spans *s = &m->side->trace->rows.spans;

	m->calls = ts_arena_array(m->arena, s->n, sizeof *m->calls);
	if (!m->calls)
		return ts_arena_error(m->arena, err);
	for (size_t i = 0; i < s->n; i++)
		if (counts(m->side, i))
			m->calls[m->n_calls++] =
				(struct call){m->kernel_of[s->name[i]], m->side->step[i], (uint64_t)s->duration_ns[i]};
	TS_SORT(m->calls, m->n_calls, call_by_cell);
	return TS_OK;
}

static bool is_same_cell(const struct call *a, const struct call *b)
{
	return a->kernel == b->kernel && a->step == b->step;
}

/* In how many steps the kernel of these calls has some. */
static size_t count_cells(const struct call *calls, size_t n)
{
	size_t cells = 1;

	for (size_t i = 1; i < n && calls[i].kernel == calls[0].kernel; i++)
		cells += calls[i].step != calls[i - 1].step;
	return cells;
}

static enum ts_status make_cells(struct summarizing *m, struct ts_error *err)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n_calls; i += n) {
		struct kernel *k = &m->kernels[m->calls[i].kernel];
		struct ts_summary_row *row = &k->row;

		for (n = 1; i + n < m->n_calls && is_same_cell(&m->calls[i], &m->calls[i + n]);)
			n++;
		if (!row->n) { /* few kernels of many have calls in each step */
			row->cells = ts_arena_array(m->arena, count_cells(m->calls + i, m->n_calls - i), sizeof *row->cells);
			if (!row->cells)
				return ts_arena_error(m->arena, err);
		}
		if (make_cell(m->calls + i, n, m->arena, &row->cells[row->n], err))
			return err->status;
		k->ns = ts_plus(k->ns, row->cells[row->n++].sum_ns);
	}
	return TS_OK;
}

/* --- rows --- */

/* How many of the first kernels have names: their text has room. */
static enum ts_status count_named(struct summarizing *m, size_t *ret, struct ts_error *err)
{
	size_t room = m->side->n * TS_SUMMARY_STEP_BYTES, most = TS_SUMMARY_ROWS_MAX - TS_SUM_CATEGORIES, n = 0;
	struct ts_buf text = TS_BUF_INIT(SIZE_MAX);
	enum ts_status status;

	room = room < TS_SUMMARY_NAMES_BYTES ? room : TS_SUMMARY_NAMES_BYTES;
	for (; n < m->n_kernels && n < most && text.len <= room; n++)
		ts_summary_row_write(&m->kernels[n].row, &text);
	if (text.len > room)
		n--;
	status = ts_buf_check(&text, err);
	ts_buf_finish(&text);
	*ret = n;
	return status;
}

static enum ts_status join(struct summarizing *m, const struct ts_summary_row *row, struct ts_summary_row *io, struct ts_error *err)
{
	if (!io->joined++) {
		io->category = row->category;
		io->cells = ts_arena_array(m->arena, m->side->n, sizeof *io->cells);
		if (!io->cells)
			return ts_arena_error(m->arena, err);
	}
	for (const struct ts_summary_cell *c = row->cells; c < row->cells + row->n; c++) {
		struct ts_summary_cell *to = &io->cells[c->step];

		to->step = c->step;
		to->least_ns = !to->calls || c->least_ns < to->least_ns ? c->least_ns : to->least_ns;
		to->most_ns = c->most_ns > to->most_ns ? c->most_ns : to->most_ns;
		to->calls += c->calls;
		to->sum_ns = ts_plus(to->sum_ns, c->sum_ns);
	}
	return TS_OK;
}

/* Leaves the cells of steps that have calls. */
static void settle(struct ts_summary_row *io, size_t steps)
{
	for (size_t i = 0; i < steps; i++)
		if (io->cells[i].calls)
			io->cells[io->n++] = io->cells[i];
}

static enum ts_status make_rows(struct summarizing *m, struct ts_kernel_summary *io, struct ts_error *err)
{
	struct ts_summary_row joined[TS_SUM_CATEGORIES] = {{.joined = 0}};
	size_t named = 0;

	if (find_kernels(m, err) || list_calls(m, err) || make_cells(m, err))
		return err->status;
	TS_SORT(m->kernels, m->n_kernels, longest_first);
	io->rows = ts_arena_array(m->arena, m->n_kernels + TS_SUM_CATEGORIES, sizeof *io->rows);
	if (!io->rows)
		return ts_arena_error(m->arena, err);
	if (count_named(m, &named, err))
		return err->status;
	for (size_t i = 0; i < m->n_kernels; i++) {
		if (i < named)
			io->rows[io->n_rows++] = m->kernels[i].row;
		else if (join(m, &m->kernels[i].row, &joined[m->kernels[i].category], err))
			return err->status;
	}
	for (size_t i = 0; i < TS_SUM_CATEGORIES; i++) {
		if (!joined[i].joined)
			continue;
		settle(&joined[i], m->side->n);
		io->rows[io->n_rows++] = joined[i];
	}
	return TS_OK;
}

/* --- the whole --- */

static enum ts_status make_parts(struct summarizing *m, struct ts_kernel_summary *io, struct ts_error *err)
{
	struct ts_trace_cells cells = {0};
	const struct ts_trace_cell *c;

	if (ts_trace_cells(m->side, TS_SIDE_PARTS, m->arena, &cells, err))
		return err->status;
	io->parts = ts_arena_array(m->arena, cells.n_names, sizeof *io->parts);
	if (!io->parts)
		return ts_arena_error(m->arena, err);
	for (c = cells.items; c < cells.items + cells.n; c++) {
		if (c == cells.items || c[-1].row != c->row) {
			struct ts_summary_part *part = &io->parts[io->n_parts++];

			part->name = cells.names[c->row];
			part->ns = ts_arena_array(m->arena, m->side->n, sizeof *part->ns);
			if (!part->ns)
				return ts_arena_error(m->arena, err);
		}
		io->parts[io->n_parts - 1].ns[c->step] = c->ns;
	}
	return TS_OK;
}

static enum ts_status make_steps(const struct ts_trace_side *side, struct ts_arena *arena, struct ts_kernel_summary *io,
				 struct ts_error *err)
{
	struct ts_trace_step *marked = NULL;
	size_t n = 0;

	if (ts_trace_steps(side->trace, arena, &marked, &n, err))
		return err->status;
	TS_DOOR(side->whole || n >= side->n);
	io->steps = ts_arena_array(arena, side->n, sizeof *io->steps);
	if (!io->steps)
		return ts_arena_error(arena, err);
	io->n_steps = side->n;
	for (size_t i = 0; i < side->n; i++) {
		uint64_t ns = (uint64_t)side->windows[i].end - (uint64_t)side->windows[i].begin;

		io->steps[i] = (struct ts_summary_step){.number = side->whole ? TS_TRACE_NONE : marked[i].number,
							.ns = ns < INT64_MAX ? ns : INT64_MAX,
							.host_ns = side->whole ? 0 : side->host_ns[i]};
	}
	return TS_OK;
}

enum ts_status ts_summarize_kernels(const struct ts_trace *trace, struct ts_arena *arena, struct ts_kernel_summary *ret,
				    struct ts_error *err)
{
	struct ts_kernel_summary s = {.rank = trace->about.rank, .world_size = trace->about.world_size, .cut = trace->cut};
	const struct ts_warmup_asked none = {.given = true};
	struct ts_trace_side side;
	struct summarizing m = {.side = &side, .arena = arena};

	if (ts_trace_side(trace, true, &none, arena, &side, err) || make_steps(&side, arena, &s, err) || make_parts(&m, &s, err) ||
	    make_rows(&m, &s, err))
		return err->status;
	s.clock_ns = side.clock_ns;
	*ret = s;
	return TS_OK;
}
