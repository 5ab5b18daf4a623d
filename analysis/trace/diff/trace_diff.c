#include "analysis/trace/diff/trace_diff.h"

#include "analysis/stats/contrast.h"
#include "analysis/trace/device/kernel_sums.h"
#include "analysis/trace/device/kernel_table.h"
#include "analysis/trace/device/saturate.h"
#include "analysis/trace/diff/trace_diff_parts.h"
#include "base/door.h"
#include "base/order.h"
#include "base/words.h"
#include "run/trace_columns.h"

#include <math.h>

TS_WORDS(ts_side_table_word, enum ts_side_table, "unknown", [TS_SIDE_PARTS] = "parts", [TS_SIDE_CATEGORIES] = "categories",
	 [TS_SIDE_KERNELS] = "kernels", [TS_SIDE_DEVICE_OPERATORS] = "device_operators", [TS_SIDE_OPERATORS] = "operators",
	 [TS_SIDE_FUNCTIONS] = "functions", [TS_SIDE_CALLS] = "calls")

TS_WORDS(ts_trace_diff_verdict_word, enum ts_trace_diff_verdict, "unknown", [TS_TRACE_DIFF_SAME] = "same",
	 [TS_TRACE_DIFF_DIFFERS] = "differs", [TS_TRACE_DIFF_UNDECIDED] = "undecided")

static int64_t nearest(double x)
{
	if (x >= 0x1p63)
		return INT64_MAX;
	return x < -0x1p63 ? INT64_MIN : (int64_t)nearbyint(x);
}

/* sum / n to the nearest, exact. */
static int64_t mean(uint64_t sum, size_t n)
{
	uint64_t whole = n ? sum / n : 0, rest = n ? sum % n : 0;

	whole += rest >= n - rest && rest;
	return whole > INT64_MAX ? INT64_MAX : (int64_t)whole;
}

/* --- one row --- */

struct compare {
	const struct ts_trace_side *a, *b;
	struct ts_arena *arena;
	struct ts_contrast_number *numbers[2]; /* room for as many steps as the side has */
	uint64_t *counts;		       /* room for the steps of both */
	double least_ns;		       /* by which a row must differ, beside TS_TRACE_DIFF_LEAST */
};

/* A summary does not say when anything was. */
static struct ts_trace_diff_sum sum_of(const struct ts_trace_side *side, const struct ts_trace_cell *cells, size_t n)
{
	struct ts_trace_diff_sum s = {.least = n == side->n && n ? UINT64_MAX : 0, .has_longest = n > 0 && !side->summary};

	for (size_t i = 0; i < n; i++) {
		s.ns = ts_plus(s.ns, cells[i].ns);
		s.count = ts_plus(s.count, cells[i].count);
		s.least = cells[i].count < s.least ? cells[i].count : s.least;
		s.most = cells[i].count > s.most ? cells[i].count : s.most;
		s.longest = i ? ts_trace_longer(s.longest, cells[i].longest) : cells[i].longest;
	}
	s.mean_ns = mean(s.ns, side->n);
	return s;
}

static struct ts_contrast_side side_of(struct ts_contrast_number *numbers, const struct ts_trace_cell *cells, size_t n, size_t steps,
				       bool counts, int64_t clock_ns)
{
	struct ts_contrast_side side = {.numbers = numbers, .n_numbers = n, .n = steps};
	double events = 0;

	for (size_t i = 0; i < n; i++) {
		numbers[i] = (struct ts_contrast_number){cells[i].step, (double)(counts ? cells[i].count : cells[i].ns)};
		events += (double)(cells[i].count ? cells[i].count : 1);
	}
	/* Both ends of an event are cut to the clock: each adds a twelfth of its square. */
	if (!counts && steps)
		side.floor = (double)clock_ns * (double)clock_ns / 6 * events / (double)steps;
	return side;
}

static struct ts_contrast contrast(const struct compare *c, const struct ts_trace_cell *a, size_t n_a, const struct ts_trace_cell *b,
				   size_t n_b, bool counts)
{
	struct ts_contrast_side x = side_of(c->numbers[0], a, n_a, c->a->n, counts, c->a->clock_ns),
				y = side_of(c->numbers[1], b, n_b, c->b->n, counts, c->b->clock_ns);
	struct ts_contrast means = ts_contrast(&x, &y, 0);

	return ts_contrast(&x, &y, fmax(TS_TRACE_DIFF_LEAST * fmax(fabs(means.a), fabs(means.b)), counts ? 0 : c->least_ns));
}

/* Fills what the cells of one row say. Whether it stands out is decided by its table. exact: so are counts, of one step, too. */
static void fill_row(const struct compare *c, struct ts_trace_diff_row *row, bool exact, const struct ts_trace_cell *a, size_t n_a,
		     const struct ts_trace_cell *b, size_t n_b)
{
	struct ts_contrast time = contrast(c, a, n_a, b, n_b, false);

	row->a = sum_of(c->a, a, n_a);
	row->b = sum_of(c->b, b, n_b);
	row->difference_ns = nearest(time.difference);
	row->decided = time.decided;
	row->p = time.decided ? time.p : 1;
	row->p_count = 1;
	if (time.decided) {
		row->low_ns = nearest(time.low);
		row->high_ns = nearest(time.high);
	}
	if (row->a.least == row->a.most && row->b.least == row->b.most)
		row->p_count = row->a.most != row->b.most && exact ? 0 : 1;
	else if (time.decided)
		row->p_count = contrast(c, a, n_a, b, n_b, true).p;
}

/* --- counts that are exact --- */

static bool varies(const struct ts_trace_diff_row *row)
{
	return row->a.least != row->a.most || row->b.least != row->b.most;
}

static bool is_fact(const struct ts_trace_diff_row *row)
{
	return !varies(row) && row->p_count == 0;
}

/* The chance that steps drawn from those of a row would show one count throughout A, and another one throughout B. */
static double apart_by_chance(const struct compare *c, const struct ts_trace_cell *a, size_t n_a, const struct ts_trace_cell *b,
			      size_t n_b)
{
	double all = (double)c->a->n + (double)c->b->n, in_a = 0, in_b = 0, in_both = 0;
	size_t n = 0, alike;

	for (size_t i = 0; i < n_a; i++)
		c->counts[n++] = a[i].count;
	for (size_t i = 0; i < n_b; i++)
		c->counts[n++] = b[i].count;
	while (n < c->a->n + c->b->n)
		c->counts[n++] = 0;
	TS_SORT(c->counts, n, ts_by_u64);
	for (size_t i = 0; i < n; i += alike) {
		double share;

		for (alike = 1; i + alike < n && c->counts[i + alike] == c->counts[i];)
			alike++;
		share = (double)alike / all;
		in_a += pow(share, (double)c->a->n);
		in_b += pow(share, (double)c->b->n);
		in_both += pow(share, all);
	}
	return fmax(in_a * in_b - in_both, 0);
}

/* Few steps can show one count by chance where counts depend on data, and then times that are as far apart. */
static void doubt_facts(struct ts_trace_diff_row *rows, size_t n, double by_chance)
{
	size_t facts = 0;

	for (size_t i = 0; i < n; i++)
		facts += is_fact(&rows[i]);
	if (by_chance <= TS_TRACE_DIFF_ALPHA * (double)facts)
		return;
	for (size_t i = 0; i < n; i++)
		if (is_fact(&rows[i]))
			rows[i].p = rows[i].p_count = 1;
}

/* --- one table --- */

/* A name of a side that has cells. */
struct used {
	struct ts_span name;
	uint32_t row, side;
};

TS_ORDER(by_name, struct used, TS_TEXT(name))

static size_t find_used(const struct ts_trace_cells *cells, uint32_t side, struct used *used)
{
	size_t n = 0;

	for (size_t i = 0; i < cells->n; i++)
		if (!i || cells->items[i].row != cells->items[i - 1].row)
			used[n++] = (struct used){cells->names[cells->items[i].row], cells->items[i].row, side};
	return n;
}

/* Gives rows of both sides that have one name one number, and settles the cells anew by these. */
static enum ts_status pair(struct ts_trace_cells cells[2], struct ts_arena *arena, struct ts_span **ret_names, size_t *ret_n,
			   struct ts_error *err)
{
	struct used *used = ts_arena_array(arena, cells[0].n + cells[1].n, sizeof *used);
	uint32_t *number[2];
	struct ts_span *names;
	size_t n, rows = 0;

	for (int k = 0; k < 2; k++) {
		number[k] = ts_arena_array(arena, cells[k].n_names, sizeof **number);
		if (!number[k] || !used)
			return ts_arena_error(arena, err);
	}
	n = find_used(&cells[0], 0, used);
	n += find_used(&cells[1], 1, used + n);
	TS_SORT(used, n, by_name);
	names = ts_arena_array(arena, n, sizeof *names);
	if (!names)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++) {
		if (!i || ts_span_cmp(used[i].name, used[i - 1].name) != 0)
			names[rows++] = used[i].name;
		number[used[i].side][used[i].row] = (uint32_t)(rows - 1);
	}
	for (int k = 0; k < 2; k++) {
		for (size_t i = 0; i < cells[k].n; i++)
			cells[k].items[i].row = number[k][cells[k].items[i].row];
		cells[k].n = ts_trace_cells_settle(cells[k].items, cells[k].n);
	}
	*ret_names = names;
	*ret_n = rows;
	return TS_OK;
}

/* The chances of a table's times, and of its counts that vary, the smallest first: what Holm looks at. */
struct chance {
	double p;
	bool *differs;
};

TS_ORDER(by_chance, struct chance, TS_UP(p))

static enum ts_status decide(struct ts_trace_diff_row *rows, size_t n_rows, struct ts_arena *arena, struct ts_error *err)
{
	struct chance *chances = ts_arena_array(arena, 2 * n_rows, sizeof *chances);
	double *p = ts_arena_array(arena, 2 * n_rows, sizeof *p);
	size_t n = 0, found;

	if (!chances || !p)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n_rows; i++) {
		chances[n++] = (struct chance){rows[i].p, &rows[i].time_differs};
		if (varies(&rows[i]))
			chances[n++] = (struct chance){rows[i].p_count, &rows[i].count_differs};
		else
			rows[i].count_differs = is_fact(&rows[i]);
	}
	TS_SORT(chances, n, by_chance);
	for (size_t i = 0; i < n; i++)
		p[i] = chances[i].p;
	found = ts_contrast_holm(p, n, TS_TRACE_DIFF_ALPHA);
	for (size_t i = 0; i < found; i++)
		*chances[i].differs = true;
	return TS_OK;
}

static uint64_t size_of(int64_t x)
{
	return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

static bool stands_out(const struct ts_trace_diff_row *row)
{
	return row->time_differs || row->count_differs;
}

static bool alone(const struct ts_trace_diff_row *row)
{
	return !stands_out(row) && (ts_trace_diff_appeared(row) || ts_trace_diff_vanished(row));
}

TS_ORDER(differing_first, struct ts_trace_diff_row, TS_BY(stands_out(a) ? 0 : 2 - alone(a), stands_out(b) ? 0 : 2 - alone(b));
	 TS_BY(size_of(b->difference_ns), size_of(a->difference_ns)); TS_TEXT(name))

static void fill_rows(const struct compare *c, enum ts_side_table of, const struct ts_trace_cells cells[2],
		      struct ts_trace_diff_row *rows, size_t n)
{
	bool exact = !c->a->whole && !c->b->whole && (of < TS_SIDE_OPERATORS || (c->a->n > 1 && c->b->n > 1));
	size_t at[2] = {0};
	double by_chance = 0;

	for (uint32_t r = 0; r < n; r++) {
		size_t from[2] = {at[0], at[1]};

		for (int k = 0; k < 2; k++)
			while (at[k] < cells[k].n && cells[k].items[at[k]].row == r)
				at[k]++;
		fill_row(c, &rows[r], exact, cells[0].items + from[0], at[0] - from[0], cells[1].items + from[1], at[1] - from[1]);
		if (varies(&rows[r]))
			by_chance += apart_by_chance(c, cells[0].items + from[0], at[0] - from[0], cells[1].items + from[1],
						     at[1] - from[1]);
	}
	doubt_facts(rows, n, by_chance);
}

static enum ts_status cells_of(const struct ts_trace_side *side, enum ts_side_table of, struct ts_arena *arena,
			       struct ts_trace_cells *ret, struct ts_error *err)
{
	return (side->summary ? ts_summary_cells : ts_trace_cells)(side, of, arena, ret, err);
}

static enum ts_status table(const struct compare *c, enum ts_side_table of, struct ts_trace_diff_table *ret, struct ts_error *err)
{
	struct compare with = *c;
	struct ts_trace_diff_table t = {.of = of};
	struct ts_trace_cells cells[2] = {{0}};
	struct ts_span *names = NULL;

	if (cells_of(c->a, of, c->arena, &cells[0], err) || cells_of(c->b, of, c->arena, &cells[1], err) ||
	    pair(cells, c->arena, &names, &t.n, err))
		return err->status;
	t.rows = ts_arena_array(c->arena, t.n, sizeof *t.rows);
	if (!t.rows)
		return ts_arena_error(c->arena, err);
	with.least_ns = of < TS_SIDE_OPERATORS && c->a->device ? 0 : c->least_ns;
	fill_rows(&with, of, cells, t.rows, t.n);
	for (size_t i = 0; i < t.n; i++) {
		t.rows[i].name = names[i];
		t.rows[i].category = TS_SUM_CATEGORIES;
		t.rows[i].a.counted = t.rows[i].b.counted = of != TS_SIDE_PARTS;
	}
	if (decide(t.rows, t.n, c->arena, err))
		return err->status;
	TS_SORT(t.rows, t.n, differing_first);
	for (size_t i = 0; i < t.n; i++) {
		t.n_differ += stands_out(&t.rows[i]);
		t.n_alone += alone(&t.rows[i]);
	}
	*ret = t;
	return TS_OK;
}

/* --- the step --- */

static uint64_t step_ns(const struct ts_trace_side *side, size_t i, bool host)
{
	return host ? side->host_ns[i] : (uint64_t)side->windows[i].end - (uint64_t)side->windows[i].begin;
}

static enum ts_status step_row(const struct compare *c, bool host, struct ts_trace_diff_row *row, struct ts_error *err)
{
	const struct ts_trace_side *sides[2] = {c->a, c->b};
	struct ts_trace_cell *cells[2];

	for (int k = 0; k < 2; k++) {
		cells[k] = ts_arena_array(c->arena, sides[k]->n, sizeof **cells);
		if (!cells[k])
			return ts_arena_error(c->arena, err);
		for (size_t i = 0; i < sides[k]->n; i++)
			cells[k][i] = (struct ts_trace_cell){.step = (uint32_t)i,
							     .ns = step_ns(sides[k], i, host),
							     .longest = {sides[k]->windows[i].begin, step_ns(sides[k], i, host)}};
	}
	row->name = ts_span_str(host ? "step on the host" : "step");
	row->category = TS_SUM_CATEGORIES;
	fill_row(c, row, false, cells[0], sides[0]->n, cells[1], sides[1]->n);
	row->time_differs = row->p <= TS_TRACE_DIFF_ALPHA;
	if (host) /* begins elsewhere than the step's time on devices */
		row->a.has_longest = row->b.has_longest = false;
	return TS_OK;
}

static struct ts_trace_diff_side about(const struct ts_trace_side *s)
{
	return (struct ts_trace_diff_side){.whole = s->whole,
					   .cut = s->summary ? s->summary->cut : s->trace->cut,
					   .summary = s->summary != NULL,
					   .recorded = s->n_recorded,
					   .skipped = s->skipped,
					   .n = s->n,
					   .first = s->first,
					   .last = s->last};
}

static bool identical(const struct ts_trace_diff *d)
{
	if (d->step.a.ns != d->step.b.ns || d->a.n != d->b.n)
		return false;
	for (size_t k = 0; k < d->n_tables; k++)
		for (size_t i = 0; i < d->tables[k].n; i++)
			if (d->tables[k].rows[i].a.ns != d->tables[k].rows[i].b.ns ||
			    d->tables[k].rows[i].a.count != d->tables[k].rows[i].b.count)
				return false;
	return true;
}

static enum ts_trace_diff_verdict verdict_of(const struct ts_trace_diff *d)
{
	bool differs = d->step.time_differs;

	if (d->a.cut || d->b.cut)
		return TS_TRACE_DIFF_UNDECIDED;
	for (size_t k = 0; k < d->n_tables; k++)
		differs = differs || d->tables[k].n_differ;
	if (differs)
		return TS_TRACE_DIFF_DIFFERS;
	return d->step.decided || identical(d) ? TS_TRACE_DIFF_SAME : TS_TRACE_DIFF_UNDECIDED;
}

static enum ts_status compare_all(struct compare *c, struct ts_trace_diff *d, struct ts_error *err)
{
	if (step_row(c, false, &d->step, err))
		return err->status;
	d->has_host = d->device && c->a->host_ns && c->b->host_ns;
	if (d->has_host && step_row(c, true, &d->host, err))
		return err->status;
	c->least_ns =
		TS_TRACE_DIFF_HOST_LEAST * (double)(d->step.a.mean_ns > d->step.b.mean_ns ? d->step.a.mean_ns : d->step.b.mean_ns);
	for (int of = 0; of < TS_SIDE_TABLES; of++) {
		if ((!d->device && of > TS_SIDE_PARTS && of < TS_SIDE_OPERATORS) || (c->a->summary && of > TS_SIDE_KERNELS))
			continue;
		if (table(c, (enum ts_side_table)of, &d->tables[d->n_tables++], err))
			return err->status;
	}
	return TS_OK;
}

/* Versions, device and options of the recordings. */
static enum ts_status recorded(const struct ts_trace *a, const struct ts_trace *b, struct ts_arena *arena, struct ts_trace_diff *d,
			       struct ts_error *err)
{
	const char *apart;

	if (ts_trace_recorded(&a->about, arena, &d->a.recording, err) || ts_trace_recorded(&b->about, arena, &d->b.recording, err))
		return err->status;
	apart = ts_trace_recorded_apart(&d->a.recording, "A", &d->b.recording, "B", arena);
	if (apart && *apart)
		apart = ts_arena_printf(arena, "The traces were not recorded alike, which can be why times differ: %s.", apart);
	if (!apart)
		return ts_arena_error(arena, err);
	d->recorded_apart = ts_span_str(apart);
	return TS_OK;
}

/* Fills the sides, the step and the tables. */
static enum ts_status diff_sides(const struct ts_trace_side sides[2], struct ts_arena *arena, struct ts_trace_diff *d,
				 struct ts_error *err)
{
	struct compare c = {.a = &sides[0], .b = &sides[1], .arena = arena};

	c.numbers[0] = ts_arena_array(arena, sides[0].n, sizeof **c.numbers);
	c.numbers[1] = ts_arena_array(arena, sides[1].n, sizeof **c.numbers);
	c.counts = ts_arena_array(arena, sides[0].n + sides[1].n, sizeof *c.counts);
	d->tables = ts_arena_array(arena, TS_SIDE_TABLES, sizeof *d->tables);
	if (!c.numbers[0] || !c.numbers[1] || !c.counts || !d->tables)
		return ts_arena_error(arena, err);
	d->a = about(&sides[0]);
	d->b = about(&sides[1]);
	return compare_all(&c, d, err);
}

static enum ts_status judge(struct ts_trace_diff *d, struct ts_arena *arena, struct ts_error *err)
{
	d->verdict = verdict_of(d);
	return ts_trace_diff_say(d, arena, err);
}

enum ts_status ts_trace_diff(const struct ts_trace *a, const struct ts_trace *b, const struct ts_warmup_asked *warmup,
			     struct ts_arena *arena, struct ts_trace_diff *ret, struct ts_error *err)
{
	struct ts_trace_diff d = {.device = ts_trace_has_device(a) && ts_trace_has_device(b)};
	const struct ts_warmup_asked asked = warmup ? *warmup : (struct ts_warmup_asked){.given = false};
	struct ts_trace_side sides[2];

	if (ts_trace_side(a, d.device, &asked, arena, &sides[0], err) || ts_trace_side(b, d.device, &asked, arena, &sides[1], err) ||
	    diff_sides(sides, arena, &d, err) || recorded(a, b, arena, &d, err) || ts_trace_diff_replaced(&d, sides, arena, err) ||
	    judge(&d, arena, err))
		return err->status;
	*ret = d;
	return TS_OK;
}

/* Which kernel took whose place is told by operators, which summaries lack. */
static enum ts_status know_kernels(struct ts_trace_diff *d, const struct ts_trace_side sides[2], struct ts_arena *arena,
				   struct ts_error *err)
{
	struct ts_trace_diff_table *t = &d->tables[TS_SIDE_KERNELS];

	TS_DOOR(d->n_tables > TS_SIDE_KERNELS && t->of == TS_SIDE_KERNELS);
	for (size_t i = 0; i < t->n; i++)
		if (ts_summary_kernel(&sides[0], arena, &t->rows[i], &t->rows[i].a, err) ||
		    ts_summary_kernel(&sides[1], arena, &t->rows[i], &t->rows[i].b, err))
			return err->status;
	return TS_OK;
}

enum ts_status ts_trace_diff_summaries(const struct ts_kernel_summary *a, const char *name_a, const struct ts_kernel_summary *b,
				       const char *name_b, const struct ts_warmup_asked *warmup, struct ts_arena *arena,
				       struct ts_trace_diff *ret, struct ts_error *err)
{
	struct ts_trace_diff d = {.device = true};
	struct ts_trace_side sides[2];

	if (ts_summary_side(a, b, warmup, name_a, arena, &sides[0], err) ||
	    ts_summary_side(b, a, warmup, name_b, arena, &sides[1], err) || diff_sides(sides, arena, &d, err) ||
	    know_kernels(&d, sides, arena, err) || judge(&d, arena, err))
		return err->status;
	*ret = d;
	return TS_OK;
}

enum ts_status ts_trace_diff_stored(ts_object_source *get, void *ctx, const struct ts_id *a, const struct ts_id *b,
				    struct ts_arena *arena, struct ts_trace_diff *ret, struct ts_error *err)
{
	const struct ts_id *const of[2] = {a, b};
	struct ts_trace_record record;
	struct ts_trace traces[2];
	enum ts_status status = TS_OK;
	int n = 0;

	for (; n < 2 && !status; n += !status)
		status = ts_trace_columns_load(get, ctx, of[n], arena, &traces[n], &record, err);
	for (int k = 0; k < n && !status; k++)
		status = ts_kernel_table(&traces[k], NULL, arena, err);
	if (!status)
		status = ts_trace_diff(&traces[0], &traces[1], NULL, arena, ret, err);
	while (n-- > 0)
		ts_trace_finish(&traces[n]);
	return status;
}
