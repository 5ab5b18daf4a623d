#include "analysis/trace/diff/trace_ranks.h"

#include "base/order.h"

/* --- pairs --- */

/* How alike two traces must be to be a pair, the most first. */
enum alike { NAME_AND_RANK, RANK, ANY, ALIKES };

static bool is_alike(const struct ts_rank_trace *a, const struct ts_rank_trace *b, enum alike alike)
{
	if (alike == ANY)
		return true;
	if (a->has_rank != b->has_rank || (a->has_rank && a->rank != b->rank))
		return false;
	return alike == RANK ? a->has_rank : strcmp(a->name, b->name) == 0;
}

/* The trace of B for this one of A. SIZE_MAX: none is left. */
static size_t partner(const struct ts_rank_trace *a, const struct ts_rank_trace *b, size_t n, const bool *taken, enum alike alike)
{
	for (size_t i = 0; i < n; i++)
		if (!taken[i] && is_alike(a, &b[i], alike))
			return i;
	return SIZE_MAX;
}

/* Traces that do not say their rank stand behind those that do. */
TS_ORDER(by_rank, struct ts_rank_pair, TS_DOWN(a.has_rank); if (a->a.has_rank) TS_UP(a.rank);
	 TS_THEN(strcmp(a->a.name, b->a.name)))

static void fill(const struct ts_rank_trace *a, size_t n_a, const struct ts_rank_trace *b, size_t n_b, const size_t *of,
		 const bool *taken, struct ts_rank_diff *out)
{
	for (size_t i = 0; i < n_a; i++)
		if (of[i] != SIZE_MAX)
			out->pairs[out->n++] = (struct ts_rank_pair){.a = a[i], .b = b[of[i]]};
		else
			out->alone[out->n_alone++] = (struct ts_rank_alone){a[i], false};
	for (size_t i = 0; i < n_b; i++)
		if (!taken[i])
			out->alone[out->n_alone++] = (struct ts_rank_alone){b[i], true};
	TS_SORT(out->pairs, out->n, by_rank);
}

enum ts_status ts_rank_diff_pairs(const struct ts_rank_trace *a, size_t n_a, const struct ts_rank_trace *b, size_t n_b,
				  struct ts_arena *arena, struct ts_rank_diff *ret, struct ts_error *err)
{
	size_t *of = ts_arena_array(arena, n_a, sizeof *of);
	bool *taken = ts_arena_array(arena, n_b, sizeof *taken);
	struct ts_rank_diff out = {.pairs = ts_arena_array(arena, n_a, sizeof *out.pairs),
				   .alone = ts_arena_array(arena, n_a + n_b, sizeof *out.alone)};

	if (!of || !taken || !out.pairs || !out.alone)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n_a; i++)
		of[i] = SIZE_MAX;
	for (int alike = 0; alike < (n_a == 1 && n_b == 1 ? ALIKES : ANY); alike++)
		for (size_t i = 0; i < n_a; i++) {
			if (of[i] != SIZE_MAX)
				continue;
			of[i] = partner(&a[i], b, n_b, taken, (enum alike)alike);
			if (of[i] != SIZE_MAX)
				taken[of[i]] = true;
		}
	fill(a, n_a, b, n_b, of, taken, &out);
	*ret = out;
	return TS_OK;
}

/* --- which differs most --- */

static uint64_t size_of(int64_t x)
{
	return x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
}

static bool is_worse(const struct ts_rank_pair *p, const struct ts_rank_pair *q)
{
	bool p_differs = p->verdict == TS_TRACE_DIFF_DIFFERS, q_differs = q->verdict == TS_TRACE_DIFF_DIFFERS;

	if (p->step.time_differs != q->step.time_differs)
		return p->step.time_differs;
	if (p->step.time_differs)
		return size_of(p->step.difference_ns) > size_of(q->step.difference_ns);
	return p_differs && !q_differs;
}

bool ts_rank_diff_take(struct ts_rank_diff *io, const struct ts_trace_diff *diff)
{
	struct ts_rank_pair *pair = &io->pairs[io->taken++];

	pair->step = diff->step;
	pair->step.name = ts_span_str("step"); /* that of the traces goes with them */
	pair->verdict = diff->verdict;
	if (io->has_diff && !is_worse(pair, &io->pairs[io->worst]))
		return false;
	io->worst = (size_t)(pair - io->pairs);
	io->diff = *diff;
	io->has_diff = true;
	return true;
}

/* --- what it comes to --- */

static const char *sentence(const struct ts_rank_diff *d, struct ts_arena *arena)
{
	const struct ts_rank_pair *worst = &d->pairs[d->worst];
	const char *whose;

	if (!d->n)
		return "The two have no trace of the same rank.";
	whose = worst->a.has_rank && worst->a.rank >= 0 ? ts_arena_printf(arena, "rank %" PRId64, worst->a.rank) : worst->a.name;
	if (!whose)
		return NULL;
	if (d->n == 1)
		return ts_arena_printf(arena, "Of one pair of traces, %s: %.*s", whose, TS_SPAN_ARG(d->diff.sentence));
	if (worst->step.time_differs)
		return ts_arena_printf(arena, "Of %zu pairs of traces that of %s differs most: %.*s", d->n, whose,
				       TS_SPAN_ARG(d->diff.sentence));
	return ts_arena_printf(arena, "Of %zu pairs of traces none has steps that stand out. Of %s: %.*s", d->n, whose,
			       TS_SPAN_ARG(d->diff.sentence));
}

enum ts_status ts_rank_diff_judge(struct ts_rank_diff *io, struct ts_arena *arena, struct ts_error *err)
{
	const char *text = sentence(io, arena);

	io->verdict = io->n ? TS_TRACE_DIFF_SAME : TS_TRACE_DIFF_UNDECIDED;
	for (size_t i = 0; i < io->n; i++)
		if (io->pairs[i].verdict == TS_TRACE_DIFF_DIFFERS || io->verdict == TS_TRACE_DIFF_SAME)
			io->verdict = io->pairs[i].verdict;
	if (!text)
		return ts_arena_error(arena, err);
	io->sentence = ts_span_str(text);
	return TS_OK;
}
