/* summary_side.c - a summary as a side of a comparison: what each step took, as the trace would have it. */
#include "analysis/trace/device/kernel_sums.h"
#include "analysis/trace/diff/trace_diff.h"
#include "base/bisect.h"
#include "base/door.h"
#include "base/order.h"

/* --- which rows the other side has, too --- */

TS_ORDER(row_by_name, struct ts_row_name, TS_TEXT(name); TS_UP(row))

static bool has_joined(const struct ts_kernel_summary *s)
{
	for (size_t i = 0; i < s->n_rows; i++)
		if (s->rows[i].joined)
			return true;
	return false;
}

/* The names of the rows that are not joined, sorted; NULL without memory. */
static struct ts_span *list_names(const struct ts_kernel_summary *s, struct ts_arena *arena, size_t *ret_n)
{
	struct ts_span *names = ts_arena_array(arena, s->n_rows, sizeof *names);
	size_t n = 0;

	for (size_t i = 0; names && i < s->n_rows; i++)
		if (!s->rows[i].joined)
			names[n++] = s->rows[i].name;
	TS_SORT(names, n, ts_by_span);
	*ret_n = n;
	return names;
}

/* A kernel that the other side lacks may be among those that it joined. */
static enum ts_status name_rows(const struct ts_kernel_summary *s, const struct ts_kernel_summary *other, struct ts_arena *arena,
				struct ts_trace_side *side, struct ts_error *err)
{
	struct ts_span *names = ts_arena_array(arena, s->n_rows, sizeof *names);
	struct ts_row_name *by_name = ts_arena_array(arena, s->n_rows, sizeof *by_name);
	bool joined = has_joined(other);
	size_t n = 0;
	const struct ts_span *others = list_names(other, arena, &n);

	if (!names || !by_name || !others)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < s->n_rows; i++) {
		const struct ts_summary_row *row = &s->rows[i];
		bool found;
		size_t at = 0;

		TS_SEEK(at, n, k, ts_span_cmp(others[k], row->name), found);
		names[i] = row->name;
		if (row->joined || (joined && !found))
			names[i] = ts_span_str(ts_arena_phrase(arena, "other %.*s kernels", TS_SPAN_ARG(row->category)));
		by_name[i] = (struct ts_row_name){names[i], (uint32_t)i};
	}
	TS_SORT(by_name, s->n_rows, row_by_name);
	side->row_names = names;
	side->by_name = by_name;
	return ts_arena_check(arena, err);
}

/* --- steps --- */

static enum ts_status skip(const struct ts_kernel_summary *s, const struct ts_warmup_asked *warmup, const char *name,
			   struct ts_trace_side *side, struct ts_error *err)
{
	side->n_recorded = s->n_steps;
	side->whole = s->steps[0].number == TS_TRACE_NONE;
	if (ts_warmup_check_steps(side->whole ? 0 : s->n_steps, warmup, name, err))
		return err->status;
	side->skipped = warmup->given ? (size_t)warmup->steps : !side->whole && s->n_steps >= TS_SIDE_WARM_UP_OF;
	side->n = s->n_steps - side->skipped;
	side->n = side->n < TS_SIDE_STEPS_MOST ? side->n : TS_SIDE_STEPS_MOST;
	side->first = s->steps[side->skipped].number;
	side->last = s->steps[side->skipped + side->n - 1].number;
	return TS_OK;
}

enum ts_status ts_summary_side(const struct ts_kernel_summary *summary, const struct ts_kernel_summary *other,
			       const struct ts_warmup_asked *warmup, const char *name, struct ts_arena *arena,
			       struct ts_trace_side *ret, struct ts_error *err)
{
	struct ts_trace_side side = {.summary = summary, .device = true, .clock_ns = summary->clock_ns};

	if (skip(summary, warmup, name, &side, err) || name_rows(summary, other, arena, &side, err))
		return err->status;
	side.windows = ts_arena_array(arena, side.n, sizeof *side.windows);
	side.host_ns = ts_arena_array(arena, side.n, sizeof *side.host_ns);
	if (!side.windows || !side.host_ns)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < side.n; i++) {
		side.windows[i].end = (int64_t)summary->steps[side.skipped + i].ns;
		side.host_ns[i] = summary->steps[side.skipped + i].host_ns;
	}
	if (side.whole)
		side.host_ns = NULL;
	TS_DOOR(side.n && side.n <= side.n_recorded);
	*ret = side;
	return TS_OK;
}

/* --- cells --- */

struct cells {
	const struct ts_trace_side *side;
	struct ts_trace_cell *items;
	size_t n;
};

static void add(struct cells *out, size_t row, size_t step, uint64_t ns, uint64_t calls)
{
	size_t skipped = out->side->skipped;

	if (step >= skipped && step - skipped < out->side->n)
		out->items[out->n++] = (struct ts_trace_cell){
			.row = (uint32_t)row, .step = (uint32_t)(step - skipped), .ns = ns, .count = calls};
}

static void add_parts(struct cells *out, const struct ts_kernel_summary *s)
{
	for (size_t i = 0; i < s->n_parts; i++)
		for (size_t k = 0; k < s->n_steps; k++)
			if (s->parts[i].ns[k])
				add(out, i, k, s->parts[i].ns[k], 0);
}

static void add_rows(struct cells *out, const struct ts_kernel_summary *s)
{
	for (size_t i = 0; i < s->n_rows; i++)
		for (const struct ts_summary_cell *c = s->rows[i].cells; c < s->rows[i].cells + s->rows[i].n; c++)
			add(out, i, c->step, c->sum_ns, c->calls);
}

static size_t count_cells(const struct ts_kernel_summary *s)
{
	size_t n = s->n_parts * s->n_steps;

	for (size_t i = 0; i < s->n_rows; i++)
		n += s->rows[i].n;
	return n;
}

static enum ts_status names_of(const struct ts_trace_side *side, enum ts_side_table table, struct ts_arena *arena,
			       struct ts_trace_cells *ret, struct ts_error *err)
{
	const struct ts_kernel_summary *s = side->summary;
	size_t n = table == TS_SIDE_PARTS ? s->n_parts : s->n_rows;
	struct ts_span *names = ts_arena_array(arena, n, sizeof *names);

	if (!names)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++)
		names[i] = table == TS_SIDE_PARTS     ? s->parts[i].name
			   : table == TS_SIDE_KERNELS ? side->row_names[i]
						      : s->rows[i].category;
	ret->names = names;
	ret->n_names = n;
	return TS_OK;
}

enum ts_status ts_summary_cells(const struct ts_trace_side *side, enum ts_side_table table, struct ts_arena *arena,
				struct ts_trace_cells *ret, struct ts_error *err)
{
	struct cells out = {.side = side, .items = ts_arena_array(arena, count_cells(side->summary), sizeof *out.items)};

	TS_DOOR(side->summary && table <= TS_SIDE_KERNELS);
	if (!out.items)
		return ts_arena_error(arena, err);
	if (names_of(side, table, arena, ret, err))
		return err->status;
	(table == TS_SIDE_PARTS ? add_parts : add_rows)(&out, side->summary);
	ret->items = out.items;
	ret->n = ts_trace_cells_settle(out.items, out.n);
	return TS_OK;
}

/* --- kernels --- */

static uint32_t category_of(struct ts_span word)
{
	uint32_t category = 0;

	while (category < TS_SUM_CATEGORIES && !ts_span_is(word, ts_sum_category_word(category)))
		category++;
	return category;
}

/* Several rows of the summary that have one name here have no median together. */
enum ts_status ts_summary_kernel(const struct ts_trace_side *side, struct ts_arena *arena, struct ts_trace_diff_row *io_row,
				 struct ts_trace_diff_sum *io_sum, struct ts_error *err)
{
	const struct ts_kernel_summary *s = side->summary;
	const struct ts_summary_row *row;
	size_t first = 0, behind;

	TS_BISECT(first, s->n_rows, i, ts_span_cmp(side->by_name[i].name, io_row->name) < 0);
	behind = first;
	TS_BISECT(behind, s->n_rows - first, i, ts_span_cmp(side->by_name[i].name, io_row->name) <= 0);
	if (behind == first)
		return TS_OK;
	row = &s->rows[side->by_name[behind - 1].row];
	io_row->category = category_of(row->category);
	return behind - first > 1 ? TS_OK : ts_summary_median(row, side->skipped, arena, &io_sum->has_median, &io_sum->median_ns, err);
}
