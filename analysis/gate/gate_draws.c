/* gate_draws.c - groups runs into the independent draws of a test: runs that one machine made in one session are one
 * draw.
 *
 * The draw of a session is the mean of its runs. A baseline that does not record its session is a draw of its own;
 * candidates that do not record theirs are one draw together.
 *
 * Where all candidates lie in one session that also holds at least TS_GATE_LEAST baselines (a machine of one's own, whose jobs have
 * no number), both sides ran under the conditions of that session, and each of those baselines is a draw of its own.
 */
#include "analysis/gate/gate_internal.h"
#include "base/order.h"

#include "analysis/gate/gate_level.h"
#include "analysis/gate/gate_odd.h"
#include "analysis/stats/stats.h"
#include "base/door.h"

#include <math.h>

struct item {
	const struct ts_gate_run *run;
	uint32_t group;
	struct ts_span session;
	double x;
};

static double scaled(const struct ts_gate_court *c, enum ts_metric metric, double value)
{
	return c->samples[metric].sign * (ts_metrics[metric].log_scale ? log(value) : value);
}

/* --- lists of values --- */

struct list {
	struct item *items;
	size_t n;
	struct ts_gate_lacking lacking;
	struct ts_span basis; /* how the items were measured */
	bool has_basis, mixed;
};

enum { LACKING_NAMED = 5 };

/* Remembers which run lacks a logged series. */
static void lack_named(struct ts_gate_court *c, struct ts_gate_lacking *lacking, const struct ts_gate_run *run)
{
	char hex[TS_ID_HEX + 1];
	struct ts_span name = run->name.len ? run->name : ts_gate_text(c, "%.12s", ts_id_hex(&run->id, hex));

	if (lacking->runs <= LACKING_NAMED)
		lacking->names =
			ts_gate_text(c, "%.*s%s%.*s", TS_SPAN_ARG(lacking->names), lacking->names.len ? ", " : "", TS_SPAN_ARG(name));
}

static void lack(struct ts_gate_lacking *lacking, struct ts_span reason)
{
	/* Keeps the first reason in the order of bytes, so that the order of the runs does not matter. */
	if (lacking->runs++ == 0 || ts_span_cmp(reason, lacking->reason) < 0)
		lacking->reason = reason;
}

/* Lists the runs of a role that have the metric, and, where want is given, only those that were measured in that way. */
static bool list_of(struct ts_gate_court *c, enum ts_gate_role role, enum ts_metric metric, const struct ts_span *want,
		    struct list *ret_list)
{
	struct list list = {.items = ts_arena_array(c->arena, c->input->n_runs, sizeof *list.items)};

	if (!list.items)
		return false;
	for (size_t i = 0; i < c->input->n_runs; i++) {
		const struct ts_gate_run *run = &c->input->runs[i];
		struct ts_span reason, b = ts_gate_basis(run, metric);
		double value;

		if (run->role != role)
			continue;
		list.lacking.of++;
		if (!ts_gate_value(&c->input->policy, run, metric, &value, &reason)) {
			lack(&list.lacking, reason);
			if (metric >= TS_METRICS)
				lack_named(c, &list.lacking, run);
			continue;
		}
		if (role == TS_GATE_BASELINE && !c->other_work.len && ts_gate_other_work(c, run, &reason)) {
			lack(&list.lacking, ts_gate_text(c, "%.*s", TS_SPAN_ARG(reason)));
			continue;
		}
		if (role == TS_GATE_CANDIDATE && ts_gate_timed(metric) && ts_gate_still_warm(c, run, &reason)) {
			lack(&list.lacking, reason);
			continue;
		}
		if ((role == TS_GATE_CANDIDATE || role == TS_GATE_PAIR_CANDIDATE) &&
		    ts_gate_ends_elsewhere(c, run, metric, &reason)) {
			lack(&list.lacking, reason);
			continue;
		}
		if (want && !ts_span_eq(*want, b)) {
			lack(&list.lacking, ts_gate_text(c, "its value was measured by %.*s, and the candidate's by %.*s",
							 TS_SPAN_ARG(b), TS_SPAN_ARG(*want)));
			continue;
		}
		list.mixed = list.mixed || (list.has_basis && !ts_span_eq(list.basis, b));
		list.basis = b;
		list.has_basis = true;
		list.items[list.n++] = (struct item){run, run->group, run->workload.session, scaled(c, metric, value)};
	}
	*ret_list = list;
	return !c->full;
}

TS_ORDER(by_session, struct item, TS_UP(group); TS_TEXT(session); TS_UP(x))

/* Returns where the runs of one session end. A run without a session stands alone unless `together`. */
static size_t session_end(const struct list *list, size_t from, bool together)
{
	size_t to = from + 1;

	if (!list->items[from].session.len && !together)
		return to;
	while (to < list->n && list->items[to].group == list->items[from].group &&
	       ts_span_eq(list->items[to].session, list->items[from].session))
		to++;
	return to;
}

static double mean_of(const struct item *items, size_t n, double *scratch)
{
	for (size_t i = 0; i < n; i++)
		scratch[i] = items[i].x;
	return ts_mean(scratch, n);
}

struct draw {
	double x;
	size_t first, end; /* the range in the list */
};

TS_ORDER(by_draw, struct draw, TS_UP(x); TS_UP(first))

/* Computes the means of sessions, sorted ascending. Afterwards the list is sorted by session. */
static struct draw *draws_of(struct ts_gate_court *c, struct list *list, bool together, size_t *ret_n)
{
	struct draw *draws = ts_arena_array(c->arena, list->n, sizeof *draws);
	double *scratch = ts_arena_array(c->arena, list->n, sizeof *scratch);
	size_t n = 0;

	if (!draws || !scratch)
		return NULL;
	TS_SORT(list->items, list->n, by_session);
	for (size_t from = 0, to; from < list->n; from = to) {
		to = session_end(list, from, together);
		draws[n++] = (struct draw){mean_of(list->items + from, to - from, scratch), from, to};
	}
	TS_SORT(draws, n, by_draw);
	*ret_n = n;
	return draws;
}

static double *values_of(struct ts_gate_court *c, const struct draw *draws, size_t n)
{
	double *values = ts_arena_array(c->arena, n, sizeof *values);

	for (size_t i = 0; values && i < n; i++)
		values[i] = draws[i].x;
	return values;
}

static size_t *runs_of(struct ts_gate_court *c, const struct draw *draws, size_t n)
{
	size_t *runs = ts_arena_array(c->arena, n, sizeof *runs);

	for (size_t i = 0; runs && i < n; i++)
		runs[i] = draws[i].end - draws[i].first;
	return runs;
}

/* One run may be better by accident, such as one that did less. */
enum { SEVERAL = 2 };

/* Removes the outliers from the baseline's draws and remembers their runs. Values that are not compared by ratio are
 * made relative to the median first. */
static bool part_odd(struct ts_gate_court *c, enum ts_metric metric, const struct list *list, struct draw *draws, size_t *n,
		     struct ts_gate_sample *s)
{
	double *scratch = ts_arena_array(c->arena, 2 * *n, sizeof *scratch), median, scale = 1;
	bool *odd = ts_arena_array(c->arena, *n, sizeof *odd);
	size_t kept = 0, better = 0;

	s->odd = ts_arena_array(c->arena, list->n, sizeof *s->odd);
	s->odd_by = ts_arena_array(c->arena, list->n, sizeof *s->odd_by);
	if (!scratch || !odd || !s->odd || !s->odd_by)
		return false;
	if (*n == 0)
		return true;
	for (size_t i = 0; i < *n; i++)
		scratch[i] = draws[i].x;
	median = ts_median(scratch, *n, scratch + *n);
	if (!ts_metrics[metric].log_scale)
		scale = fabs(median) > 0 ? 1 / fabs(median) : 1;
	for (size_t i = 0; i < *n; i++)
		scratch[i] = draws[i].x * scale;
	if (s->n_low)
		return true;
	(void)ts_gate_odd(scratch, n, 1, s->prior, ts_metrics[metric].floor_sd, scratch + *n, odd);
	for (size_t i = 0; i < *n; i++) {
		if (!odd[i]) {
			draws[kept++] = draws[i];
			continue;
		}
		if (draws[i].x < median)
			scratch[better++] = (median - draws[i].x) * scale;
		for (size_t k = draws[i].first; k < draws[i].end; k++) {
			s->odd[s->n_odd] = list->items[k].run;
			s->odd_by[s->n_odd++] = (draws[i].x - median) * scale;
		}
	}
	*n = kept;
	if (better >= SEVERAL)
		s->faster = ts_median_few(scratch, better);
	return true;
}

/* --- places in time, drift, and two kinds of baselines --- */

struct began {
	size_t at;
	int64_t ns;
};

/* Runs stand newest first. */
TS_ORDER(by_began, struct began, TS_UP(ns); TS_DOWN(at))

/* Runs are placed by their start. Where one of them does not record it, the order of the input holds, and candidates come last. */
bool ts_gate_places_find(struct ts_gate_court *c)
{
	const struct ts_gate_input *in = c->input;
	struct began *order = ts_arena_array(c->arena, in->n_runs, sizeof *order);
	bool all = true;

	c->places = ts_arena_array(c->arena, in->n_runs, sizeof *c->places);
	if (!order || !c->places)
		return false;
	for (size_t i = 0; i < in->n_runs; i++)
		all = all && (in->runs[i].role > TS_GATE_HISTORY || in->runs[i].workload.started_ns != 0);
	for (size_t i = 0; i < in->n_runs; i++) {
		bool last = in->runs[i].role == TS_GATE_CANDIDATE;

		order[i] = (struct began){i, all ? in->runs[i].workload.started_ns : last ? INT64_MAX : 0};
	}
	TS_SORT(order, in->n_runs, by_began);
	for (size_t i = 0, place = 0; i < in->n_runs; i++)
		c->places[order[i].at] = in->runs[order[i].at].role > TS_GATE_HISTORY ? 0 : (double)++place;
	return true;
}

static double place_in(const struct ts_gate_court *c, const struct list *list, size_t from, size_t to)
{
	double sum = 0;

	for (size_t i = from; i < to; i++)
		sum += c->places[list->items[i].run - c->input->runs];
	return sum / (double)(to - from);
}

/* Where the baselines drift, moves each of them along the line to the place of the candidates. */
static bool follow_drift(struct ts_gate_court *c, const struct list *list, struct draw *draws, size_t n, const struct list *candidates,
			 struct ts_gate_sample *s)
{
	double *x = values_of(c, draws, n), *place = ts_arena_array(c->arena, n, sizeof *place), to;
	struct ts_gate_line line;

	if (!x || !place)
		return false;
	if (n < TS_GATE_LEVEL_LEAST || candidates->n == 0 || s->kinds.better)
		return true;
	for (size_t i = 0; i < n; i++)
		place[i] = place_in(c, list, draws[i].first, draws[i].end);
	line = ts_gate_drift(x, place, n);
	if (line.slope == 0)
		return true;
	to = place_in(c, candidates, 0, candidates->n);
	for (size_t i = 0; i < n; i++)
		draws[i].x += line.slope * (to - place[i]);
	TS_SORT(draws, n, by_draw);
	s->base_drift = line.slope;
	s->allowance.leverage = (to - line.place) * (to - line.place) / line.sxx;
	s->allowance.fitted = 1;
	return true;
}

/* The history drifted as well: only its distance from the line counts. list is sorted by group. */
static bool straighten(struct ts_gate_court *c, struct list *list)
{
	double *x = ts_arena_array(c->arena, list->n, sizeof *x), *place = ts_arena_array(c->arena, list->n, sizeof *place);

	if (!x || !place)
		return false;
	for (size_t from = 0, to; from < list->n; from = to) {
		struct ts_gate_line line;

		for (to = from; to < list->n && list->items[to].group == list->items[from].group; to++) {
			x[to] = list->items[to].x;
			place[to] = place_in(c, list, to, to + 1);
		}
		line = ts_gate_drift(x + from, place + from, to - from);
		for (size_t i = from; i < to; i++)
			list->items[i].x -= line.slope * (place[i] - line.place);
	}
	return true;
}

/* Keeps the draws of one kind. The other kind still shows how much runs differ within a kind. */
static void keep_kind(struct draw *draws, size_t *n, const double *x, size_t low, struct ts_gate_sample *s)
{
	bool worse = s->kinds.own == 1;
	size_t other = worse ? low : *n - low, kept = *n - other;

	s->prior = ts_gate_both(s->prior, ts_gate_pooled(worse ? x : x + low, &other, 1));
	if (worse)
		memmove(draws, draws + low, kept * sizeof *draws);
	*n = kept;
}

/* Where the baselines are of two kinds, keeps those of the candidate's kind if a fact tells it. A kind of few runs that no fact
 * tells is left to part_odd. The history counts only if it is not of two kinds itself. */
static bool part_kinds(struct ts_gate_court *c, const struct list *list, struct draw *draws, size_t *n, struct ts_gate_sample *s)
{
	const struct ts_gate_run **runs = ts_arena_array(c->arena, *n, sizeof *runs);
	double *x = values_of(c, draws, *n);
	struct ts_gate_spread inner;
	size_t low, sizes[2];

	if (!runs || !x)
		return false;
	low = ts_gate_two_kinds(x, *n);
	if (!low)
		return true;
	for (size_t i = 0; i < *n; i++)
		runs[i] = list->items[draws[i].first].run;
	sizes[0] = low;
	sizes[1] = *n - low;
	s->kinds = (struct ts_gate_kinds){low, *n - low, ts_mean(x + low, *n - low) - ts_mean(x, low), ts_span_of(NULL, 0), -1};
	if (ts_gate_apart(runs, low, *n, &s->kinds.path) && c->candidate)
		s->kinds.own = ts_gate_kind_of(runs, low, *n, s->kinds.path, c->candidate);
	if (s->kinds.own < 0 && (low <= *n / 4 || *n - low <= *n / 4)) {
		s->kinds = (struct ts_gate_kinds){.better = 0};
		return true;
	}
	inner = ts_gate_pooled(x, sizes, 2);
	if (s->prior.sd > 2 * inner.sd)
		s->prior = (struct ts_gate_spread){0, 0};
	if (s->kinds.own >= 0)
		keep_kind(draws, n, x, low, s);
	else
		s->n_low = low;
	return true;
}

/* --- one session for all --- */

/* Asks whether all items have the same session, and returns which. */
static bool one_session(const struct list *list, struct ts_span *ret_session)
{
	for (size_t i = 0; i < list->n; i++)
		if (!list->items[i].session.len || !ts_span_eq(list->items[i].session, list->items[0].session))
			return false;
	if (list->n)
		*ret_session = list->items[0].session;
	return list->n > 0;
}

/* If enough items are of this session, keeps only those, each as a draw of its own. */
static bool keep_session(struct list *list, struct ts_span session)
{
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++)
		n += ts_span_eq(list->items[i].session, session);
	if (n < TS_GATE_LEAST)
		return false;
	n = 0;
	for (size_t i = 0; i < list->n; i++)
		if (ts_span_eq(list->items[i].session, session)) {
			list->items[n] = list->items[i];
			list->items[n++].session = ts_span_of(NULL, 0);
		}
	list->n = n;
	return true;
}

/* --- spreads --- */

/* Makes the values relative to the size of their group, for a metric that is compared by difference. */
static void normalize(struct list *list, enum ts_metric metric, double *scratch)
{
	if (ts_metrics[metric].log_scale)
		return;
	for (size_t from = 0, to; from < list->n; from = to) {
		double magnitude;

		for (to = from + 1; to < list->n && list->items[to].group == list->items[from].group;)
			to++;
		magnitude = fabs(mean_of(list->items + from, to - from, scratch));
		for (size_t i = from; i < to; i++)
			list->items[i].x = magnitude > 0 ? list->items[i].x / magnitude : 0;
	}
}

/* Computes the pooled spread of groups, without the values that are far from the others of their group. x and sizes
 * are overwritten. */
static bool pooled(struct ts_gate_court *c, enum ts_metric metric, double *x, size_t *sizes, size_t n_groups, size_t n,
		   struct ts_gate_spread *ret_spread)
{
	const struct ts_gate_spread none = {0, 0};
	double *scratch = ts_arena_array(c->arena, n, sizeof *scratch);
	bool *odd = ts_arena_array(c->arena, n, sizeof *odd);
	size_t kept = 0, at = 0;

	if (!scratch || !odd)
		return false;
	(void)ts_gate_odd(x, sizes, n_groups, none, ts_metrics[metric].floor_sd, scratch, odd);
	for (size_t g = 0; g < n_groups; g++) {
		size_t end = at + sizes[g], from = kept;

		for (; at < end; at++)
			if (!odd[at])
				x[kept++] = x[at];
		sizes[g] = kept - from;
	}
	*ret_spread = ts_gate_pooled(x, sizes, n_groups);
	return true;
}

/* The spread between the draws of a group, pooled over groups, and the spread between the runs of a session, pooled over sessions.
 * list is sorted. */
static bool spreads_of(struct ts_gate_court *c, enum ts_metric metric, const struct list *list, struct ts_gate_spread *ret_between,
		       struct ts_gate_spread *ret_within)
{
	double *draws = ts_arena_array(c->arena, list->n, sizeof *draws), *runs = ts_arena_array(c->arena, list->n, sizeof *runs);
	size_t *groups = ts_arena_array(c->arena, list->n, sizeof *groups);
	size_t *sessions = ts_arena_array(c->arena, list->n, sizeof *sessions), n_groups = 0, n = 0;

	if (!draws || !runs || !groups || !sessions)
		return false;
	for (size_t from = 0, to; from < list->n; from = to) {
		bool more = from > 0 && list->items[from].group == list->items[from - 1].group;

		to = session_end(list, from, false);
		sessions[n] = to - from;
		draws[n++] = mean_of(list->items + from, to - from, runs + from);
		groups[more ? n_groups - 1 : n_groups++]++;
	}
	return pooled(c, metric, draws, groups, n_groups, n, ret_between) &&
	       pooled(c, metric, runs, sessions, n, list->n, ret_within);
}

static void cap(struct ts_gate_spread *spread, double most)
{
	spread->df = spread->df < most ? spread->df : most;
}

/* Computes the spread that is known beforehand. base is the sorted list from which the baseline draws are made. */
static bool priors(struct ts_gate_court *c, enum ts_metric metric, const struct list *base, struct ts_gate_sample *sample)
{
	const struct ts_gate_policy *policy = &c->input->policy;
	struct ts_gate_spread none, within;
	struct list history, copy = *base;
	double *scratch = ts_arena_array(c->arena, c->input->n_runs, sizeof *scratch);

	if (!scratch || !list_of(c, TS_GATE_HISTORY, metric, base->has_basis ? &base->basis : NULL, &history))
		return false;
	copy.items = ts_arena_dup(c->arena, base->items, base->n * sizeof *base->items);
	if (!copy.items)
		return false;
	TS_SORT(history.items, history.n, by_session);
	normalize(&history, metric, scratch);
	normalize(&copy, metric, scratch);
	if (!straighten(c, &history))
		return false;
	if (!spreads_of(c, metric, &history, &sample->prior, &sample->within) ||
	    !spreads_of(c, metric, &copy, &none, &within))
		return false;
	/* Where runs of one session are the draws, their scatter is only that of runs within a session. */
	if (sample->one_session)
		sample->prior = sample->within;
	sample->within = ts_gate_both(sample->within, within);
	if (isfinite(policy->prior_sd) && ts_metrics[metric].log_scale)
		sample->prior = (struct ts_gate_spread){policy->prior_sd, policy->prior_df};
	else
		cap(&sample->prior, policy->prior_df_most);
	cap(&sample->within, policy->prior_df_most);
	return true;
}

/* --- pairs --- */

TS_ORDER_OF_POINTERS(by_number, struct ts_gate_run, TS_UP(group); TS_UP(role); TS_THEN(ts_id_cmp(&a->id, &b->id)))

static bool same_run(const struct ts_gate_run *a, const struct ts_gate_run *b)
{
	return memcmp(a->id.bytes, b->id.bytes, sizeof a->id.bytes) == 0;
}

static const char *why_not(const struct ts_gate_court *c, const struct ts_gate_pair *p, size_t runs)
{
	if (!p->base || !p->candidate)
		return p->base ? "it has no run of the candidate" : "it has no run of the base";
	if (runs != 2)
		return "it has more than two runs";
	if (!p->base->workload.session.len || !p->candidate->workload.session.len)
		return "its runs do not record their session";
	if (!ts_span_eq(p->base->workload.session, p->candidate->workload.session))
		return "its runs come from two different sessions";
	for (size_t i = 0; i < c->n_pairs; i++)
		if (!c->pairs[i].why_not && (same_run(c->pairs[i].base, p->base) || same_run(c->pairs[i].candidate, p->candidate)))
			return "one of its runs is already in another pair";
	return NULL;
}

static int64_t began(const struct ts_gate_pair *p)
{
	int64_t base = p->base ? p->base->workload.started_ns : 0, candidate = p->candidate ? p->candidate->workload.started_ns : 0;

	return base > candidate ? base : candidate;
}

TS_ORDER(by_start, struct ts_gate_pair, TS_UP_OF(began); TS_UP(number))

/* Sorts pairs in the order in which they ran, so that the pairs of the first look are also the first ones of the second look. */
bool ts_gate_pairs_find(struct ts_gate_court *c)
{
	const struct ts_gate_run **runs = ts_arena_array(c->arena, c->input->n_runs, sizeof *runs);
	size_t n = 0;

	c->pairs = ts_arena_array(c->arena, c->input->n_runs, sizeof *c->pairs);
	if (!runs || !c->pairs)
		return false;
	for (size_t i = 0; i < c->input->n_runs; i++)
		if (c->input->runs[i].role == TS_GATE_PAIR_BASE || c->input->runs[i].role == TS_GATE_PAIR_CANDIDATE)
			runs[n++] = &c->input->runs[i];
	TS_SORT(runs, n, by_number);
	for (size_t from = 0, to; from < n; from = to) {
		struct ts_gate_pair pair = {.number = runs[from]->group};

		for (to = from; to < n && runs[to]->group == pair.number; to++)
			*(runs[to]->role == TS_GATE_PAIR_BASE ? &pair.base : &pair.candidate) = runs[to];
		pair.why_not = why_not(c, &pair, to - from);
		c->pairs[c->n_pairs++] = pair;
	}
	TS_SORT(c->pairs, c->n_pairs, by_start);
	return true;
}

/* Returns the place of a run among the runs of the pairs of its session, in the order in which they began. It is 0
 * if the start is not recorded, or another run began at the same time. */
static double place_of(const struct ts_gate_court *c, const struct ts_gate_run *run)
{
	size_t before = 0, same = 0;

	if (run->workload.started_ns == 0)
		return 0;
	for (size_t i = 0; i < c->n_pairs; i++) {
		const struct ts_gate_run *sides[] = {c->pairs[i].base, c->pairs[i].candidate};

		for (size_t k = 0; k < 2 && !c->pairs[i].why_not; k++)
			if (ts_span_eq(sides[k]->workload.session, run->workload.session)) {
				before += sides[k]->workload.started_ns < run->workload.started_ns;
				same += sides[k]->workload.started_ns == run->workload.started_ns;
			}
	}
	return same == 1 ? 1 + (double)before : 0;
}

/* Returns the number of the first pair of the same session. */
static uint32_t session_number(const struct ts_gate_court *c, const struct ts_gate_pair *p)
{
	size_t i = 0;

	while (c->pairs[i].why_not || !ts_span_eq(c->pairs[i].base->workload.session, p->base->workload.session))
		i++;
	return (uint32_t)i;
}

/* The variance of a run's value that its own steps show, on the scale on which values are compared. What part of a run has an error
 * that is not known takes that of step time, which its steps are; the last quarter has four times the variance. NaN: not known. */
static double steps_of(const struct ts_gate_court *c, const struct ts_gate_run *run, enum ts_metric metric)
{
	const struct ts_reduced *r = ts_gate_reduced(&c->input->policy, &run->reduction, metric);
	const struct ts_reduced *time = &run->reduction.metrics[TS_METRIC_STEP_TIME];
	bool own = r->has_error || !ts_gate_timed(metric);
	double error = own ? r->error : time->error, value = own ? r->value : time->value;

	if (!(own ? r->has_error : time->has_error))
		return (double)NAN;
	error = ts_metrics[metric].log_scale ? error / value : own ? error : error / value * r->value;
	return error * error * (metric == TS_METRIC_STEP_TIME_END && !own ? 4 : 1);
}

/* Returns the mean of steps_of over the baselines, 0 where it is not known of any. */
static double usual_steps(const struct ts_gate_court *c, const struct list *base, enum ts_metric metric)
{
	double sum = 0, n = 0;

	for (size_t i = 0; i < base->n; i++) {
		double steps = steps_of(c, base->items[i].run, metric);

		sum += isfinite(steps) ? steps : 0;
		n += isfinite(steps);
	}
	return n > 0 ? sum / n : 0;
}

static double beyond(double steps, double usual)
{
	return isfinite(steps) ? fmax(steps - usual, 0) : 0;
}

static struct ts_gate_difference difference_of(const struct ts_gate_court *c, const struct ts_gate_pair *p, double base,
					       double candidate)
{
	double before = place_of(c, p->base), after = place_of(c, p->candidate);
	bool placed = before > 0 && after > 0;

	return (struct ts_gate_difference){
		.d = candidate - base,
		.turn = placed ? after - before : 0,
		.place = placed ? (before + after) / 2 : 0,
		.middle = (base + candidate) / 2,
		.session = session_number(c, p),
		.number = p->number,
	};
}

/* Computes the differences within the pairs that have the metric on both sides; *ret_base is the mean of their base
 * runs. usual: what usual_steps says of the baselines. */
static bool differences(struct ts_gate_court *c, enum ts_metric metric, double usual, struct ts_gate_sample *sample, double *ret_base)
{
	double *bases = ts_arena_array(c->arena, c->n_pairs, sizeof *bases);
	struct ts_gate_difference *found = ts_arena_array(c->arena, c->n_pairs, sizeof *found);

	sample->pairs = ts_arena_array(c->arena, c->n_pairs, sizeof *sample->pairs);
	sample->scratch = ts_arena_array(c->arena, 2 * c->n_pairs, sizeof *sample->scratch);
	if (!bases || !found || !sample->pairs || !sample->scratch)
		return false;
	for (size_t i = 0; i < c->n_pairs; i++) {
		const struct ts_gate_pair *p = &c->pairs[i];
		struct ts_span reason;
		double a, b;

		if (p->why_not)
			continue;
		sample->no_pair.of++;
		if (!ts_gate_value(&c->input->policy, p->base, metric, &a, &reason) ||
		    !ts_gate_value(&c->input->policy, p->candidate, metric, &b, &reason)) {
			lack(&sample->no_pair, reason);
			continue;
		}
		if (!ts_span_eq(ts_gate_basis(p->base, metric), ts_gate_basis(p->candidate, metric))) {
			lack(&sample->no_pair, ts_span_str("its two runs were measured in different ways"));
			continue;
		}
		bases[sample->n_pairs] = scaled(c, metric, a);
		found[sample->n_pairs] = difference_of(c, p, scaled(c, metric, a), scaled(c, metric, b));
		found[sample->n_pairs++].steps =
			beyond(steps_of(c, p->base, metric), usual) + beyond(steps_of(c, p->candidate, metric), usual);
	}
	ts_gate_pairs_alternate(found, sample->n_pairs, sample->pairs);
	*ret_base = sample->n_pairs ? ts_mean(bases, sample->n_pairs) : (double)NAN;
	return true;
}

/* --- one metric --- */

/* Makes differences of a metric that is no ratio relative to the baseline's magnitude, or, where that is 0, to the smallest value
 * that would matter. */
static void relate(struct ts_gate_sample *s, enum ts_metric metric, double min_size, double base)
{
	const struct ts_metric_row *row = &ts_metrics[metric];

	s->magnitude = 1;
	s->relative = true;
	if (row->log_scale || !isfinite(base))
		return;
	s->magnitude = fabs(base);
	if (!(s->magnitude > 0)) {
		s->relative = false;
		s->magnitude = row->min_absolute > 0 && min_size > 0 ? row->min_absolute / min_size : 1;
	}
	s->kinds.apart /= s->magnitude;
	s->base_drift /= s->magnitude;
	for (size_t i = 0; i < s->n_base; i++)
		s->base[i] /= s->magnitude;
	for (size_t i = 0; i < s->n_candidate; i++)
		s->candidate[i] /= s->magnitude;
	for (size_t i = 0; i < s->n_pairs; i++) {
		s->pairs[i].d /= s->magnitude;
		s->pairs[i].middle /= s->magnitude;
		s->pairs[i].steps /= s->magnitude * s->magnitude;
	}
}

static struct ts_span why_nothing(struct ts_gate_court *c, const struct list *base, const struct list *candidate,
				  const struct ts_gate_sample *s, enum ts_metric metric)
{
	if (c->other_work.len && ts_gate_per_step(metric))
		return c->other_work;
	if (s->n_pairs)
		return ts_span_of(NULL, 0);
	if (candidate->lacking.of == 0)
		return ts_span_str("there is no candidate");
	if (candidate->n == 0)
		return ts_gate_text(c, "the candidate has no value: %.*s", TS_SPAN_ARG(candidate->lacking.reason));
	if (candidate->mixed)
		return ts_span_str("the candidate's runs were measured in different ways");
	if (base->n == 0 && base->lacking.of > 0)
		return ts_gate_text(c, "no baseline has a value to compare with: %.*s", TS_SPAN_ARG(base->lacking.reason));
	return ts_span_of(NULL, 0);
}

static bool sample_of(struct ts_gate_court *c, enum ts_metric metric, struct ts_gate_sample *ret_sample)
{
	struct ts_gate_sample s = {.drift = (double)NAN, .sign = c->samples[metric].sign, .nearer = -1};
	struct list base, candidate;
	struct draw *bases, *candidates;
	struct ts_span session;
	double pair_base;
	size_t shorter;

	if (!list_of(c, TS_GATE_CANDIDATE, metric, NULL, &candidate) ||
	    !list_of(c, TS_GATE_BASELINE, metric, candidate.has_basis ? &candidate.basis : NULL, &base) ||
	    !differences(c, metric, usual_steps(c, &base, metric), &s, &pair_base))
		return false;
	s.one_session = one_session(&candidate, &session) && keep_session(&base, session);
	for (size_t i = 0; i < base.n; i++)
		s.unnamed += !base.items[i].session.len && !s.one_session;
	candidates = draws_of(c, &candidate, true, &s.n_candidate);
	bases = draws_of(c, &base, false, &s.n_base);
	if (!candidates || !bases || !priors(c, metric, &base, &s) || !part_kinds(c, &base, bases, &s.n_base, &s) ||
	    !part_odd(c, metric, &base, bases, &s.n_base, &s) || !follow_drift(c, &base, bases, s.n_base, &candidate, &s))
		return false;
	s.allowance.variance = ts_gate_shorter(c->input, metric, TS_GATE_CANDIDATE, &shorter);
	if (shorter)
		s.allowance.variance /= (double)shorter;
	s.within.sd = sqrt(s.within.sd * s.within.sd + ts_gate_shorter(c->input, metric, TS_GATE_PAIR_CANDIDATE, &shorter));
	s.candidate = values_of(c, candidates, s.n_candidate);
	s.base = values_of(c, bases, s.n_base);
	s.base_runs = runs_of(c, bases, s.n_base);
	if (!s.candidate || !s.base || !s.base_runs)
		return false;
	s.no_base = base.lacking;
	s.no_candidate = candidate.lacking;
	s.reason = why_nothing(c, &base, &candidate, &s, metric);
	if (candidate.mixed)
		s.n_candidate = 0;
	relate(&s, metric, c->input->policy.min_size[metric], s.n_base ? ts_mean(s.base, s.n_base) : pair_base);
	*ret_sample = s;
	return !c->full;
}

/* By how much the candidates are above the baselines, or, without these, those of the pairs above theirs. */
static double rise(const struct ts_gate_sample *s)
{
	double sum = 0;

	if (s->n_base && s->n_candidate)
		return ts_mean(s->candidate, s->n_candidate) - ts_mean(s->base, s->n_base);
	for (size_t i = 0; i < s->n_pairs; i++)
		sum += s->pairs[i].d;
	return sum;
}

bool ts_gate_sample_of(struct ts_gate_court *c, enum ts_metric metric, struct ts_gate_sample *ret_sample)
{
	enum ts_better better = ts_gate_metric_better(&c->input->policy, metric);

	TS_DOOR(ts_gate_court_holds(c));
	c->samples[metric].sign = better == TS_BETTER_HIGHER ? -1 : 1;
	if (!sample_of(c, metric, ret_sample))
		return false;
	if (better != TS_BETTER_UNKNOWN || !(rise(ret_sample) < 0))
		return true;
	c->samples[metric].sign = -1;
	return sample_of(c, metric, ret_sample);
}
