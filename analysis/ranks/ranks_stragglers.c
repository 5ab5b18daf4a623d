/* ranks_stragglers.c - asks straggler.h about the ranks that ranks.c collected: which are stragglers, since when, how often,
 * and what they cost.
 */
#include "analysis/ranks/ranks_internal.h"

#include "analysis/ranks/straggler_kind.h"
#include "analysis/stats/correlation.h"
#include "analysis/stats/stats.h"
#include "base/door.h"

/* The values of own time that the test uses: every step where steps are kept, otherwise cells. */
struct grain {
	const double *own;
	size_t stride, n;
	size_t steps; /* steps in one value */
};

static struct grain grain_of(const struct ts_ranks *r, const struct ts_rank_track *t)
{
	const struct ts_rank_steps *k = r->kept;

	if (k->exact)
		return (struct grain){.own = t->own, .stride = r->n_aligned, .n = k->n, .steps = 1};
	return (struct grain){.own = t->cells, .stride = k->n_cells, .n = k->cells, .steps = k->cell};
}

static char *why_undecided(const struct ts_ranks *r, const struct ts_straggler_test *t, struct ts_arena *arena)
{
	const struct ts_rank_steps *k = r->kept;

	if (k->cells < TS_CORRELATION_CELLS_MIN)
		return ts_arena_printf(
			arena, "the test for stragglers needs more steps: %zu steps do not show their autocorrelation",
			k->n);
	if (!t->block)
		return ts_arena_printf(
			arena,
			"the test for stragglers needs more steps: differences between ranks last as long as "
			"all %zu steps",
			k->n);
	return ts_arena_printf(
		arena,
		"the test for stragglers needs more steps: there are %zu independent blocks of %zu steps, and "
		"%zu ranks need %zu",
		t->blocks, t->block * k->cell, r->n_ranks, t->blocks_needed);
}

enum ts_status ts_ranks_test(const struct ts_ranks *r, enum ts_rank_track_kind kind, struct ts_arena *arena,
			     struct ts_straggler_test *ret, char **ret_undecided, struct ts_error *err)
{
	const struct ts_rank_steps *k = r->kept;
	const struct ts_rank_track *t = &k->tracks[kind];
	double *share = ts_arena_array(r->arena, r->n_ranks, sizeof *share);
	double *saved = ts_arena_array(r->arena, r->n_ranks, sizeof *saved);
	double *scratch = ts_arena_array(r->arena, r->n_ranks, sizeof *scratch), wall = ts_tally_value(&k->wall);
	struct ts_straggler_data data = {
		.own = t->cells, .stride = k->n_cells, .n_ranks = r->n_ranks, .n_cells = k->cells, .saved = saved,
	};

	TS_DOOR(ts_ranks_hold(r));
	if (!share || !saved || !scratch)
		return ts_arena_error(r->arena, err);
	for (size_t a = 0; a < r->n_ranks; a++)
		share[a] = wall > 0 ? ts_tally_value(&r->sums[a].blame[kind]) / wall : 0;
	ts_deviations(share, r->n_ranks, scratch, saved);
	if (ts_straggler_test(&data, r->arena, ret, err))
		return err->status;
	*ret_undecided = NULL;
	if (!ret->decidable) {
		*ret_undecided = why_undecided(r, ret, arena);
		if (!*ret_undecided)
			return ts_arena_error(arena, err);
	}
	return TS_OK;
}

static double largest_of(const struct ts_ranks *r, const struct grain *g, const struct ts_straggler_test *t, size_t i, bool named)
{
	double v = -INFINITY;

	for (size_t a = 0; a < r->n_ranks; a++)
		if (named || !t->ranks[a].named)
			v = g->own[a * g->stride + i] > v ? g->own[a * g->stride + i] : v;
	return v;
}

double ts_ranks_saved(const struct ts_ranks *r, enum ts_rank_track_kind kind, const struct ts_straggler_test *t)
{
	struct grain g = grain_of(r, &r->kept->tracks[kind]);
	struct ts_tally saved = {0, 0};

	TS_DOOR(ts_ranks_hold(r));
	for (size_t i = 0; t->n_named && i < g.n; i++)
		ts_tally_add(&saved, (largest_of(r, &g, t, i, true) - largest_of(r, &g, t, i, false)) * (double)g.steps);
	return ts_tally_value(&saved);
}

/* The median own time of the ranks that are not named as stragglers, value by value. A straggler is compared with
 * it. */
static void usual_times(const struct ts_ranks *r, const struct grain *g, const struct ts_straggler_test *t, double *scratch,
			double *usual)
{
	for (size_t i = 0; i < g->n; i++) {
		size_t n = 0;

		for (size_t a = 0; a < r->n_ranks; a++)
			if (!t->ranks[a].named)
				scratch[n++] = g->own[a * g->stride + i];
		usual[i] = ts_median_few(scratch, n);
	}
}

static bool onset_event(const struct ts_ranks *r, size_t rank, const struct ts_straggler_course *c, const struct grain *g,
			const double *usual, struct ts_span subject, struct ts_arena *arena, struct ts_events *events)
{
	const struct ts_rank_steps *k = r->kept;
	double expected = ts_mean(usual + c->onset, g->n - c->onset), square = 0;
	struct ts_event e = {
		.kind = TS_EVENT_ONSET, .group = ts_answer_group_name(TS_ANSWER_RANKS), .subject = subject};

	for (size_t i = 0; i < g->n; i++) {
		double d = g->own[rank * g->stride + i] - usual[i] - (i < c->onset ? c->before : c->after);

		square += d * d / (double)g->n;
	}
	e.first_step = k->steps[c->onset * g->steps];
	e.last_step = k->steps[k->n - 1];
	e.value = expected + c->after;
	e.expected = expected;
	e.score = square > 0 ? (c->after - c->before) / sqrt(square) : (double)INFINITY;
	return ts_event_add(events, arena, &e);
}

enum ts_status ts_ranks_courses(const struct ts_ranks *r, enum ts_rank_track_kind kind, const struct ts_straggler_test *t,
				const struct ts_span *subjects, struct ts_arena *arena, struct ts_straggler_course *ret_courses,
				struct ts_events *events, struct ts_error *err)
{
	struct grain g = grain_of(r, &r->kept->tracks[kind]);
	double *usual = ts_arena_array(r->arena, g.n, sizeof *usual), *excess = ts_arena_array(r->arena, g.n, sizeof *excess);
	double *scratch = ts_arena_array(r->arena, g.n > r->n_ranks ? g.n : r->n_ranks, sizeof *scratch);

	TS_DOOR(ts_ranks_hold(r));
	TS_DOOR(ts_events_hold(events));
	if (!usual || !excess || !scratch)
		return ts_arena_error(r->arena, err);
	usual_times(r, &g, t, scratch, usual);
	for (size_t a = 0; a < r->n_ranks; a++) {
		struct ts_straggler_course *c = &ret_courses[a];

		if (!t->ranks[a].named)
			continue;
		for (size_t i = 0; i < g.n; i++)
			excess[i] = g.own[a * g.stride + i] - usual[i];
		*c = ts_straggler_course(excess, g.n, scratch);
		if (c->kind != TS_STRAGGLER_PERSISTENT && !onset_event(r, a, c, &g, usual, subjects[a], arena, events))
			return ts_arena_error(arena, err);
		c->onset *= g.steps;
		c->period *= g.steps;
	}
	return TS_OK;
}
