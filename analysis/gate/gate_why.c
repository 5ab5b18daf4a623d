/* gate_why.c - where a difference of step time lies: in which phases, on which ranks, in work or in wait.
 *
 * It compares the runs of the pairs where pairs decide, otherwise all candidates with all baselines. Each kind of part (phases,
 * ranks, work and wait) splits the whole difference anew. A part that one side does not record gets no share.
 */
#include "analysis/gate/gate_internal.h"
#include "base/order.h"

#include "base/door.h"

#include <math.h>

enum { GROUPS_MOST = 8 };

#define GREW 0.5 /* a rank counts as grown if its work grew by this share of the growth of the rank that grew most */

/* The runs of one side: all runs of a role, or, for a role of pairs, those of the pairs that count. */
struct side {
	const struct ts_gate_run **runs;
	size_t n;
};

struct why {
	struct ts_gate_court *c;
	struct side base, candidate;
	double whole; /* the whole difference, in seconds of an optimizer step */
};

static bool side_of(struct why *w, enum ts_gate_role role, struct side *ret_side)
{
	const struct ts_gate_input *input = w->c->input;

	*ret_side = (struct side){.runs = ts_arena_array(w->c->arena, input->n_runs, sizeof *ret_side->runs)};
	if (!ret_side->runs)
		return false;
	for (size_t i = 0; i < input->n_runs && role < TS_GATE_PAIR_BASE; i++)
		if (input->runs[i].role == role)
			ret_side->runs[ret_side->n++] = &input->runs[i];
	for (size_t i = 0; i < w->c->n_pairs && role >= TS_GATE_PAIR_BASE; i++)
		if (!w->c->pairs[i].why_not)
			ret_side->runs[ret_side->n++] = role == TS_GATE_PAIR_BASE ? w->c->pairs[i].base : w->c->pairs[i].candidate;
	return true;
}

static void add(struct why *w, enum ts_gate_part kind, struct ts_span name, double base, double candidate)
{
	struct ts_verdict *v = &w->c->v;

	v->why[v->n_why++] =
		(struct ts_gate_why){ts_span_str(ts_gate_part_word(kind)), name, base, candidate, (candidate - base) / w->whole};
}

/* --- phases --- */

static bool part_of(const struct ts_gate_run *run, struct ts_span name, double *ret_seconds)
{
	for (size_t i = 0; i < run->reduction.n_parts; i++)
		if (ts_span_eq(run->reduction.parts[i].name, name) && isfinite(run->reduction.parts[i].seconds)) {
			*ret_seconds = run->reduction.parts[i].seconds;
			return true;
		}
	return false;
}

/* Computes the mean of a phase over all runs of a side. Returns false if a run does not record the phase. */
static bool part_mean(const struct side *side, struct ts_span name, double *ret_mean)
{
	double sum = 0, seconds;

	for (size_t i = 0; i < side->n; i++) {
		if (!part_of(side->runs[i], name, &seconds))
			return false;
		sum += seconds;
	}
	*ret_mean = sum / (double)side->n;
	return side->n > 0;
}

/* Computes the mean over the runs of a side of all parts together: with the unattributed time they are the whole
 * step. */
static bool total_mean(const struct side *side, double *ret_mean)
{
	double sum = 0;

	for (size_t i = 0; i < side->n; i++) {
		const struct ts_reduction *r = &side->runs[i]->reduction;

		if (r->n_parts == 0 || r->n_parts > TS_REDUCE_PARTS_MAX)
			return false;
		for (size_t k = 0; k < r->n_parts; k++)
			sum += r->parts[k].seconds;
	}
	*ret_mean = sum / (double)side->n;
	return side->n > 0 && isfinite(sum);
}

static bool named_before(const struct side *side, size_t run, size_t part)
{
	struct ts_span name = side->runs[run]->reduction.parts[part].name;
	double seconds;

	for (size_t i = 0; i < run; i++)
		if (part_of(side->runs[i], name, &seconds))
			return true;
	for (size_t k = 0; k < part; k++)
		if (ts_span_eq(side->runs[run]->reduction.parts[k].name, name))
			return true;
	return false;
}

/* Takes every phase of the side once: adds a row where all runs of both sides record it, otherwise a warning. */
static void phases_of(struct why *w, const struct side *side, bool only_strange)
{
	for (size_t i = 0; i < side->n; i++)
		for (size_t k = 0; k < side->runs[i]->reduction.n_parts && w->c->v.n_why < TS_REDUCE_PARTS_MAX; k++) {
			struct ts_span name = side->runs[i]->reduction.parts[k].name;
			double base, candidate;
			bool a, b;

			if (named_before(side, i, k))
				continue;
			a = part_mean(&w->base, name, &base);
			b = part_mean(&w->candidate, name, &candidate);
			if (a && b) {
				if (!only_strange)
					add(w, TS_GATE_PART_PHASE, name, base, candidate);
			} else if (!(only_strange && b)) {
				ts_gate_warn(w->c, "some runs do not record phase %.*s, so its share of the difference is not known",
					     TS_SPAN_ARG(name));
			}
		}
}

/* --- ranks --- */

static bool ranks_alike(const struct why *w)
{
	const struct side *sides[] = {&w->base, &w->candidate};
	const struct ts_reduction *first = &w->base.runs[0]->reduction;

	if (first->n_ranks == 0 || first->n_ranks > TS_REDUCE_RANKS_MAX)
		return false;
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < sides[k]->n; i++) {
			const struct ts_reduction *r = &sides[k]->runs[i]->reduction;

			if (r->n_ranks != first->n_ranks)
				return false;
			for (size_t j = 0; j < r->n_ranks; j++)
				if (r->ranks[j].rank != first->ranks[j].rank)
					return false;
		}
	return true;
}

static double rank_mean(const struct side *side, size_t at, bool work)
{
	double sum = 0;

	for (size_t i = 0; i < side->n; i++)
		sum += work ? side->runs[i]->reduction.ranks[at].work : side->runs[i]->reduction.ranks[at].wait;
	return sum / (double)side->n;
}

/* Adds a row of work or wait as a mean over all ranks, or a warning where a rank does not record it. */
static void all_ranks(struct why *w, bool work)
{
	enum ts_gate_part kind = work ? TS_GATE_PART_WORK : TS_GATE_PART_WAIT;
	size_t n = w->base.runs[0]->reduction.n_ranks;
	double base = 0, candidate = 0;

	for (size_t i = 0; i < n; i++) {
		base += rank_mean(&w->base, i, work) / (double)n;
		candidate += rank_mean(&w->candidate, i, work) / (double)n;
	}
	if (isfinite(base) && isfinite(candidate))
		add(w, kind, ts_span_str("all ranks"), base, candidate);
	else
		ts_gate_warn(w->c, "some runs do not record %s for every rank, so its share of the difference is not known",
			     ts_gate_part_word(kind));
}

/* Adds one row for the ranks from..to: the mean of their work. */
static void add_group(struct why *w, size_t from, size_t to)
{
	const struct ts_reduced_rank *ranks = w->base.runs[0]->reduction.ranks;
	size_t n = to - from + 1;
	double base = 0, candidate = 0;
	struct ts_span name;

	for (size_t i = from; i <= to; i++) {
		base += rank_mean(&w->base, i, true) / (double)n;
		candidate += rank_mean(&w->candidate, i, true) / (double)n;
	}
	if (n == w->base.runs[0]->reduction.n_ranks)
		name = ts_span_str("all ranks");
	else if (n == 1)
		name = ts_gate_text(w->c, "rank %d", (int)ranks[from].rank);
	else
		name = ts_gate_text(w->c, "ranks %d-%d", (int)ranks[from].rank, (int)ranks[to].rank);
	add(w, TS_GATE_PART_RANK, name, base, candidate);
}

/* Adds a row for each group of neighbouring ranks whose work grew (in an improvement: shrank) at least half as much as the work of
 * the rank where it grew most. */
static void rank_groups(struct why *w)
{
	const struct ts_reduced_rank *ranks = w->base.runs[0]->reduction.ranks;
	size_t n = w->base.runs[0]->reduction.n_ranks, groups = 0;
	double sign = w->whole < 0 ? -1 : 1, most = 0;
	double *grew = ts_arena_array(w->c->arena, n, sizeof *grew);

	if (!grew) {
		w->c->full = true;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		grew[i] = sign * (rank_mean(&w->candidate, i, true) - rank_mean(&w->base, i, true));
		if (!isfinite(grew[i]))
			return;
		most = grew[i] > most ? grew[i] : most;
	}
	for (size_t from = 0, to; most > 0 && from < n; from = to + 1) {
		to = from;
		if (grew[from] < GREW * most)
			continue;
		while (to + 1 < n && grew[to + 1] >= GREW * most && ranks[to + 1].rank == ranks[to].rank + 1)
			to++;
		if (groups++ == GROUPS_MOST) {
			ts_gate_warn(w->c, "the work of more than %d groups of ranks changed, and only the first %d are listed",
				     GROUPS_MOST, GROUPS_MOST);
			return;
		}
		add_group(w, from, to);
	}
}

/* --- the whole --- */

TS_ORDER(by_share, struct ts_gate_why, TS_DOWN(share); TS_TEXT(kind); TS_TEXT(name))

/* Asks whether the verdict is about the time of all steps or a rate of it, which the parts of a step add up to: not a part of the run,
 * a percentile in the tail, memory or a loss. If so, *ret_paired tells whether pairs decided on it. */
static bool about_time(const struct ts_verdict *v, bool *ret_paired)
{
	const struct ts_gate_row *row = ts_gate_deciding(v);

	if (!row || !ts_gate_timed(row->metric) || row->metric == TS_METRIC_STEP_TIME_END || row->metric == TS_METRIC_STEP_TIME_P95 ||
	    row->metric == TS_METRIC_STALL_SHARE)
		return false;
	*ret_paired = row->paired;
	return true;
}

static bool asks(const struct ts_verdict *v, bool *ret_paired)
{
	if (v->state != TS_GATE_REGRESSION && v->state != TS_GATE_SUSPECT && v->state != TS_GATE_IMPROVEMENT)
		return false;
	return about_time(v, ret_paired);
}

bool ts_gate_asks_why(const struct ts_verdict *v)
{
	bool paired;

	return asks(v, &paired);
}

bool ts_gate_asks_memory(const struct ts_verdict *v)
{
	const struct ts_gate_row *row = &v->rows[TS_METRIC_PEAK_MEMORY];

	return row->counts && (row->state == TS_GATE_REGRESSION || row->state == TS_GATE_SUSPECT);
}

static enum ts_status put_at(struct ts_verdict *v, size_t at, struct ts_gate_why why, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_gate_why *rows = ts_arena_array(arena, v->n_why + 1, sizeof *rows);

	if (!rows)
		return ts_arena_error(arena, err);
	rows[at] = why;
	for (size_t i = 0; i < v->n_why; i++)
		rows[i + (i >= at)] = v->why[i];
	v->why = rows;
	v->n_why++;
	return TS_OK;
}

enum ts_status ts_gate_why_first(struct ts_verdict *v, struct ts_gate_why why, struct ts_arena *arena, struct ts_error *err)
{
	return put_at(v, 0, why, arena, err);
}

enum ts_status ts_gate_why_last(struct ts_verdict *v, struct ts_gate_why why, struct ts_arena *arena, struct ts_error *err)
{
	return put_at(v, v->n_why, why, arena, err);
}

void ts_gate_why_fill(struct ts_gate_court *c)
{
	struct ts_verdict *v = &c->v;
	struct why w = {.c = c};
	double base, candidate;
	bool paired = false;

	TS_DOOR(ts_gate_court_holds(c));
	if (!asks(v, &paired))
		return;
	v->why = ts_arena_array(c->arena, TS_REDUCE_PARTS_MAX + GROUPS_MOST + 2, sizeof *v->why);
	if (!v->why || !side_of(&w, paired ? TS_GATE_PAIR_BASE : TS_GATE_BASELINE, &w.base) ||
	    !side_of(&w, paired ? TS_GATE_PAIR_CANDIDATE : TS_GATE_CANDIDATE, &w.candidate)) {
		c->full = true;
		return;
	}
	if (!total_mean(&w.base, &base) || !total_mean(&w.candidate, &candidate) || candidate - base == 0) {
		ts_gate_warn(w.c, "some runs do not record phases, so it is not known where the difference lies");
		return;
	}
	w.whole = candidate - base;
	phases_of(&w, &w.candidate, false);
	phases_of(&w, &w.base, true);
	if (!ranks_alike(&w)) {
		ts_gate_warn(w.c, "the runs do not record the same ranks, so it is not known on which ranks the difference lies");
	} else {
		all_ranks(&w, true);
		all_ranks(&w, false);
		if (w.base.runs[0]->reduction.n_ranks > 1)
			rank_groups(&w);
	}
	TS_SORT(v->why, v->n_why, by_share);
}
