/* trace_diff_say.c - what a comparison comes to, in one sentence whose parts add up as they are written. */
#include "analysis/trace/device/kernel_sums.h"
#include "analysis/trace/diff/trace_diff_parts.h"
#include "base/text.h"

enum { CLAUSES = 3, NAME_MOST = 60, PART_OF_WHOLE = 20 /* a part below a twentieth of the difference is not named */ };

struct say {
	struct ts_trace_diff *d;
	struct ts_arena *arena;
	int64_t quantum; /* what one digit of the last place stands for */
	int places;	 /* digits behind the point */
	const char *unit;
	char *text; /* NULL: no memory */
};

static void put(struct say *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct say *s, const char *format, ...)
{
	va_list args;
	char *more;

	va_start(args, format);
	more = ts_arena_vprintf(s->arena, format, args);
	va_end(args);
	s->text = more && s->text ? ts_arena_printf(s->arena, "%s%s", s->text, more) : NULL;
}

static uint64_t size_of(int64_t x)
{
	return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

/* The unit in which a difference has three digits. All numbers of the sentence have it, so that they can be added. */
static void choose_unit(struct say *s, uint64_t ns)
{
	static const struct {
		uint64_t from;
		int64_t quantum;
		int places;
		const char *unit;
	} units[] = {{10000000000, 100000000, 1, "s"},
		     {1000000000, 10000000, 2, "s"},
		     {10000000, 100000, 1, "ms"},
		     {1000000, 10000, 2, "ms"},
		     {10000, 100, 1, "us"},
		     {1000, 10, 2, "us"},
		     {0, 1, 0, "ns"}};
	size_t i = 0;

	while (ns < units[i].from)
		i++;
	s->quantum = units[i].quantum;
	s->places = units[i].places;
	s->unit = units[i].unit;
}

static int64_t rounded(const struct say *s, int64_t ns)
{
	uint64_t q = (uint64_t)s->quantum, n = size_of(ns) / q + (size_of(ns) % q >= q - size_of(ns) % q && size_of(ns) % q);

	return ns < 0 ? -(int64_t)n : (int64_t)n;
}

/* A count of quanta, without its sign. */
static const char *amount(const struct say *s, int64_t quanta)
{
	static const uint64_t powers[] = {1, 10, 100};
	uint64_t n = size_of(quanta), p = powers[s->places];
	const char *text = s->places ? ts_arena_printf(s->arena, "%" PRIu64 ".%0*" PRIu64 " %s", n / p, s->places, n % p, s->unit)
				     : ts_arena_printf(s->arena, "%" PRIu64 " %s", n, s->unit);

	return text ? text : "";
}

static const char *percent(const struct say *s, double part, double of)
{
	const char *text = of > 0 ? ts_arena_printf(s->arena, "%.1f %%", 100 * part / of) : "from nothing";

	return text ? text : "";
}

/* A name of a kernel, cut where a character begins. */
static const char *brief(const struct say *s, struct ts_span name)
{
	struct ts_span head;
	const char *text;

	(void)ts_span_skip(&name, "void ");
	head = ts_utf8_cut(name, NAME_MOST);
	text = ts_arena_printf(s->arena, "%.*s%s", TS_SPAN_ARG(head), head.len < name.len ? "..." : "");
	return text ? text : "";
}

static const struct ts_trace_diff_table *table_of(const struct ts_trace_diff *d, enum ts_side_table of)
{
	for (size_t i = 0; i < d->n_tables; i++)
		if (d->tables[i].of == of)
			return &d->tables[i];
	return NULL;
}

/* --- the parts --- */

/* The kernel of this category that changed most in the direction of the part. */
static const struct ts_trace_diff_row *kernel_of(const struct say *s, struct ts_span category, bool more)
{
	const struct ts_trace_diff_table *t = table_of(s->d, TS_SIDE_KERNELS);

	for (size_t i = 0; t && i < t->n; i++) {
		const struct ts_trace_diff_row *row = &t->rows[i];

		if (row->category < TS_SUM_CATEGORIES && ts_span_is(category, ts_sum_category_word(row->category)) &&
		    (row->time_differs || row->count_differs) && row->difference_ns && (row->difference_ns > 0) == more)
			return row;
	}
	return NULL;
}

/* The kernel whose place this one took. */
static const struct ts_trace_diff_row *replaced(const struct say *s, const struct ts_trace_diff_row *by)
{
	const struct ts_trace_diff_table *t = table_of(s->d, TS_SIDE_KERNELS);
	const struct ts_trace_diff_row *found = NULL;

	for (size_t i = 0; t && i < t->n; i++)
		if (t->rows[i].replaced_by.len && ts_span_eq(t->rows[i].replaced_by, by->name) &&
		    (!found || t->rows[i].a.ns > found->a.ns))
			found = &t->rows[i];
	return found;
}

static void put_replaced(struct say *s, const struct ts_trace_diff_row *from)
{
	put(s, " (%s replaced by %s under %s)", brief(s, from->name), brief(s, from->replaced_by), brief(s, from->replaced_under));
}

static void put_kernel(struct say *s, struct ts_span category, bool more)
{
	const struct ts_trace_diff_row *row = kernel_of(s, category, more), *from;

	if (!row)
		return;
	from = ts_trace_diff_appeared(row) ? replaced(s, row) : row;
	if (from && from->replaced_by.len) {
		put_replaced(s, from);
		return;
	}
	if (ts_trace_diff_appeared(row) || ts_trace_diff_vanished(row))
		put(s, " (%s is only in %s)", brief(s, row->name), ts_trace_diff_vanished(row) ? "A" : "B");
	else if (row->count_differs && row->a.least == row->a.most && row->b.least == row->b.most)
		put(s, " (%s %" PRIu64 " times a step instead of %" PRIu64 ")", brief(s, row->name), row->b.most, row->a.most);
	else
		put(s, " (%s %s %s)", brief(s, row->name), amount(s, rounded(s, row->difference_ns)), more ? "longer" : "shorter");
}

static void put_part(struct say *s, const struct ts_trace_diff_row *row)
{
	bool more = row->difference_ns > 0;
	struct ts_span name = row->name;

	put(s, "%s %s ", amount(s, rounded(s, row->difference_ns)), more ? "more" : "less");
	if (!s->d->device)
		put(s, "in %s", brief(s, name));
	else if (ts_span_skip(&name, "idle: "))
		put(s, "idle (%.*s)", TS_SPAN_ARG(name));
	else if (ts_span_starts(name, ts_span_str("exposed ")))
		put(s, "%.*s", TS_SPAN_ARG(name));
	else
		put(s, "of %.*s", TS_SPAN_ARG(name));
	if (s->d->device)
		put_kernel(s, row->name, more);
}

/* The largest part, where none stands out. */
static void put_largest(struct say *s, const struct ts_trace_diff_table *t)
{
	const struct ts_trace_diff_row *most = NULL;

	for (size_t i = 0; t && i < t->n; i++)
		if (!most || size_of(t->rows[i].difference_ns) > size_of(most->difference_ns))
			most = &t->rows[i];
	put(s, "; no part of it stands out alone");
	if (most && rounded(s, most->difference_ns)) {
		put(s, "; the largest is ");
		put_part(s, most);
	}
}

/* The parts that stand out, the largest first, and what is left of the difference. */
static void put_parts(struct say *s)
{
	const struct ts_trace_diff_table *t = table_of(s->d, TS_SIDE_PARTS);
	int64_t rest = rounded(s, s->d->step.difference_ns);
	size_t said = 0;

	for (size_t i = 0; t && i < t->n && said < CLAUSES; i++) {
		const struct ts_trace_diff_row *row = &t->rows[i];

		if (!row->time_differs || size_of(row->difference_ns) < size_of(s->d->step.difference_ns) / PART_OF_WHOLE)
			continue;
		put(s, said++ ? ", " : ": ");
		put_part(s, row);
		rest -= rounded(s, row->difference_ns);
	}
	if (!said)
		put_largest(s, t);
	else if (rest)
		put(s, ", and %s %s in all other parts", amount(s, rest), rest > 0 ? "more" : "less");
}

/* --- the sentence --- */

static void put_both(struct say *s, const char *what)
{
	const struct ts_trace_diff_row *row = &s->d->step;

	choose_unit(s, size_of(row->a.mean_ns > row->b.mean_ns ? row->a.mean_ns : row->b.mean_ns));
	put(s, "%s takes %s in A", what, amount(s, rounded(s, row->a.mean_ns)));
	put(s, " and %s in B", amount(s, rounded(s, row->b.mean_ns)));
}

static void undecided(struct say *s)
{
	const struct ts_trace_diff *d = s->d;

	if (d->a.whole || d->b.whole) {
		put_both(s, d->a.whole && d->b.whole
				    ? "The recording"
				    : (d->a.whole ? "A's whole recording against B's step" : "A's step against B's whole recording"));
		put(s, "; %s no ProfilerStep, so no error can be given and nothing is said by step",
		    d->a.whole && d->b.whole ? "the traces have" : (d->a.whole ? "A has" : "B has"));
		return;
	}
	put_both(s, "A step");
	put(s, "; %s, so no error can be given",
	    d->a.n == 1 && d->b.n == 1 ? "each trace has one step" : (d->a.n == 1 ? "A has one step" : "B has one step"));
}

static void not_different(struct say *s)
{
	const struct ts_trace_diff_row *row = &s->d->step;

	bool apart = row->low_ns > 0 || row->high_ns < 0, close = apart && row->p < 1;
	const char *how = "which do not differ by more than their noise over steps";

	if (apart)
		how = close ? "a difference that the noise over steps can just make"
			    : "which differ by no more than 1 %, as clocks do from run to run";
	put_both(s, "A step");
	put(s, ", %s (95 %% interval of the difference: %s to ", how, percent(s, (double)row->low_ns, (double)row->a.mean_ns));
	put(s, "%s", percent(s, (double)row->high_ns, (double)row->a.mean_ns));
	if (close)
		put(s, "; p = %.2g", row->p);
	put(s, ")");
}

static void differs(struct say *s)
{
	const struct ts_trace_diff_row *row = &s->d->step;

	choose_unit(s, size_of(row->difference_ns));
	put(s, "A step takes %s %s in B", amount(s, rounded(s, row->difference_ns)), row->difference_ns > 0 ? "longer" : "less");
	if (row->a.mean_ns > 0)
		put(s, " (%s)", percent(s, (double)size_of(row->difference_ns), (double)row->a.mean_ns));
	put_parts(s);
}

static size_t differing(const struct ts_trace_diff *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_tables; i++)
		n += d->tables[i].n_differ;
	return n;
}

/* What a cut file lacks comes before what was found in the rest of it. */
static void put_cut(struct say *s)
{
	bool a = s->d->a.cut, b = s->d->b.cut;

	if (a || b)
		put(s,
		    "The %s of %s too early, so that events of any step may be missing, and what differs may be only that. Of what is "
		    "there: ",
		    a && b ? "files" : "file", a && b ? "A and B end" : (a ? "A ends" : "B ends"));
}

enum ts_status ts_trace_diff_say(struct ts_trace_diff *d, struct ts_arena *arena, struct ts_error *err)
{
	struct say s = {.d = d, .arena = arena};
	size_t n = differing(d);

	s.text = ts_arena_printf(arena, "%s", "");
	put_cut(&s);
	if (d->a.n < 2 || d->b.n < 2)
		undecided(&s);
	else
		(d->step.time_differs ? differs : not_different)(&s);
	if (!d->step.time_differs && n)
		put(&s, "; of its %s %zu %s", d->a.summary ? "parts and kernels" : "parts, kernels, operators and calls", n,
		    n == 1 ? "differs" : "differ");
	put(&s, ".");
	if (!s.text)
		return ts_arena_error(arena, err);
	d->sentence = ts_span_str(s.text);
	return TS_OK;
}
