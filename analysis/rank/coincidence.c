#include "analysis/rank/coincidence.h"

#include "base/door.h"
#include "base/grow.h"
#include "base/order.h"

#include <math.h>
#include <stdlib.h>

enum { REACH = 2 }; /* two hits at most this many steps apart count as simultaneous */

/* --- hits --- */

void ts_coincidence_begin(struct ts_coincidence *c, struct ts_arena *arena)
{
	*c = (struct ts_coincidence){.arena = arena};
}

TS_ORDER(by_score, struct ts_hit, TS_DOWN(score))

TS_ORDER(by_step, struct ts_hit, TS_UP(first))

/* Adds to each chance the rate of other hits at least half as far out, as far as the fitted tail does not explain
 * it. The hits are sorted strongest first. */
static void add_rates(struct ts_hit *hits, size_t n_hits, size_t n)
{
	size_t m = 0;
	double explained = 0;

	for (size_t i = 0; i < n_hits; i++) {
		double others;

		while (m < n_hits && hits[m].score >= hits[i].score / 2) {
			explained = fmax(explained, hits[m].chance * (double)n);
			m++;
		}
		others = (double)(m - 1) - explained - 2 * sqrt(explained);
		hits[i].chance = fmax(hits[i].chance, 1.0 / (20.0 * (double)n));
		if (others > 0)
			hits[i].chance = fmin(hits[i].chance + others / (double)n, 1);
	}
}

static size_t nonfinite_runs(const double *values, size_t n)
{
	size_t runs = 0;

	for (size_t i = 0; i < n; i++)
		runs += !isfinite(values[i]) && (i == 0 || isfinite(values[i - 1])) ? 1 : 0;
	return runs;
}

static bool collect(struct ts_axis *axis, const struct ts_spikes *found, const int64_t *keys, const double *values,
		    struct ts_arena *arena)
{
	size_t n = axis->n, at = 0;
	double clean = TS_SPIKES_CHANCE / (double)found->judged;

	axis->hits = ts_arena_array(arena, found->n + nonfinite_runs(values, n), sizeof *axis->hits);
	if (!axis->hits)
		return false;
	for (size_t i = 0; i < found->n; i++) {
		const struct ts_spike *x = &found->items[i];

		if (x->kind != TS_EVENT_SHIFT)
			axis->hits[at++] = (struct ts_hit){
				.first = keys[x->first],
				.last = keys[x->last],
				.peak = keys[x->peak],
				.value = x->value,
				.expected = x->expected,
				.score = x->score,
				.chance = fmin(2 * x->chance, 1),
				.rises = x->kind == TS_EVENT_SPIKE,
				.strong = x->chance <= clean,
			};
	}
	for (size_t i = 0; i < n; i++)
		if (!isfinite(values[i]) && (i == 0 || isfinite(values[i - 1])))
			axis->hits[at++] = (struct ts_hit){
				.first = keys[i],
				.last = keys[i],
				.peak = keys[i],
				.value = values[i],
				.expected = (double)NAN,
				.score = HUGE_VAL,
				.rises = true,
				.strong = true,
			};
	axis->n_hits = at;
	if (at == 0)
		return true;
	TS_SORT(axis->hits, at, by_score);
	add_rates(axis->hits, at, n);
	TS_SORT(axis->hits, at, by_step);
	return true;
}

static enum ts_status too_many(struct ts_error *err)
{
	return ts_error_set(err, TS_TOO_LARGE, "the analysis compares at most %d signals", TS_COINCIDENCE_AXES);
}

enum ts_status ts_coincidence_fitted(struct ts_coincidence *c, struct ts_span name, const struct ts_spikes_fit *fit,
				     struct ts_error *err)
{
	const struct ts_series *series = ts_spikes_series(fit);
	struct ts_axis axis = {.name = name, .n = series->n};
	double n = (double)series->n;
	struct ts_spikes found;

	if (c->n_axes == TS_COINCIDENCE_AXES)
		return too_many(err);
	/* Of n values, 0.5 / sqrt(n) count as hits on each side, which is 0.5 sqrt(n) hits. */
	if (ts_spikes_hits(fit, fmin(0.01 * n, 0.5 * sqrt(n)), &found, err))
		return err->status;
	axis.decided = found.decided;
	if (found.decided && !collect(&axis, &found, series->keys, series->values, c->arena))
		return ts_arena_error(c->arena, err);
	c->axes[c->n_axes++] = axis;
	return TS_OK;
}

enum ts_status ts_coincidence_axis(struct ts_coincidence *c, struct ts_span name, const int64_t *keys, const double *values,
				   size_t n, struct ts_error *err)
{
	struct ts_series series = {name, keys, values, n};
	const struct ts_spikes_fit *fit;

	if (c->n_axes == TS_COINCIDENCE_AXES)
		return too_many(err);
	return ts_spikes_fit(&series, c->arena, &fit, err) ? err->status : ts_coincidence_fitted(c, name, fit, err);
}

enum ts_status ts_coincidence_join(struct ts_coincidence *c, const struct ts_coincidence *other, struct ts_error *err)
{
	if (other->n_axes > TS_COINCIDENCE_AXES - c->n_axes)
		return too_many(err);
	for (size_t i = 0; i < other->n_axes; i++)
		c->axes[c->n_axes++] = other->axes[i];
	return TS_OK;
}

/* --- meetings --- */

/* A pair of hits of two axes that are close in time is called a meeting. */
struct meeting {
	const struct ts_axis *axis[2];
	const struct ts_hit *hit[2];
	double p; /* the probability that independent axes have such a pair anywhere */
};

/* A group is a set of meetings that overlap. */
struct group {
	int64_t first, last;
	unsigned axes; /* one bit for each axis */
	double p;
	double score;	 /* the score of the hit that is furthest out */
	size_t from, to; /* the range of meetings */
};

struct meetings {
	const struct ts_coincidence *c;
	struct ts_arena *arena;
	struct meeting *items;
	size_t n, cap;
	struct group *groups;
	size_t n_groups;
	size_t pairs, steps;
	double best;	 /* the least p-value */
	double usual;	 /* the chance of the hits that are counted */
	double expected; /* the expected number of such groups */
};

static uint64_t length(const struct ts_hit *h)
{
	return (uint64_t)h->last - (uint64_t)h->first + 1;
}

/* Returns 0 if the hits overlap, otherwise the number of steps between them. */
static uint64_t apart(const struct ts_hit *a, const struct ts_hit *b)
{
	if (a->last < b->first)
		return (uint64_t)b->first - (uint64_t)a->last;
	return b->last < a->first ? (uint64_t)a->first - (uint64_t)b->last : 0;
}

/* Computes Fisher's product times the number of places where it could have been found; see the header. */
static double chance_anywhere(const struct meetings *m, const struct ts_axis *x, const struct ts_axis *y, const struct ts_hit *a,
			      const struct ts_hit *b)
{
	double t = a->chance * b->chance, steps = (double)(x->n < y->n ? x->n : y->n);
	double offset = fabs((double)a->peak - (double)b->peak), offsets = 1;

	if (offset > 0)
		offsets = offset > REACH ? 4 * offset : 2.0 * REACH;
	return fmin(1, 2 * offsets * steps * (double)m->pairs * t * (1 - log(t)));
}

static bool add_meeting(struct meetings *m, const struct meeting *now)
{
	if (!TS_GROW_IN(m->arena, m->items, m->cap, m->n + 1, 64))
		return false;
	m->items[m->n++] = *now;
	return true;
}

/* Returns P(X >= k) of a Poisson number, k > 0. */
static double poisson_at_least(double mean, size_t k)
{
	double term = exp(-mean), below = term, above = 0;

	for (size_t i = 1; i < k; i++) {
		term *= mean / (double)i;
		below += term;
	}
	if (below < 0.5)
		return 1 - below;
	for (size_t i = k; i < k + 200; i++) { /* adds up the tail itself, because 1 minus the rest would round to 0 */
		term *= mean / (double)i;
		above += term;
	}
	return above;
}

/* Returns how often counted hits of two axes would meet by chance: all hits, or only those that dip. */
static double chance_meetings(const struct ts_axis *x, const struct ts_axis *y, bool dips, bool strong, double usual)
{
	const struct ts_axis *axis[] = {x, y};
	double count[2] = {0}, width[2] = {0};

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < axis[k]->n_hits; i++) {
			const struct ts_hit *h = &axis[k]->hits[i];

			if (!(dips && h->rises) && (strong ? h->strong : h->chance <= usual || h->strong)) {
				count[k]++;
				width[k] += (double)length(h);
			}
		}
	if (count[0] * count[1] <= 0)
		return 0;
	return (width[0] * count[1] + width[1] * count[0] + count[0] * count[1] * (2 * REACH - 1)) /
	       (double)(x->n > y->n ? x->n : y->n);
}

/* Returns the expected number of meetings of two axes in which both hits are counted. */
static double expected_of(const struct ts_axis *x, const struct ts_axis *y, bool strong, double usual)
{
	return fmax(chance_meetings(x, y, false, strong, usual) - chance_meetings(x, y, true, strong, usual), 0);
}

/* Finds all meetings of two axes; both lists are sorted by step. Those of strong hits are also counted, see the
 * header. */
static bool meet(struct meetings *m, const struct ts_axis *x, const struct ts_axis *y)
{
	size_t from = m->n, low = 0, strong = 0;
	double p;

	m->expected += expected_of(x, y, false, m->usual);
	for (size_t i = 0; i < x->n_hits; i++) {
		const struct ts_hit *a = &x->hits[i];

		while (low < y->n_hits && y->hits[low].last < a->first && apart(a, &y->hits[low]) > REACH)
			low++;
		for (size_t j = low; j < y->n_hits; j++) {
			const struct ts_hit *b = &y->hits[j];
			struct meeting now = {{x, y}, {a, b}, chance_anywhere(m, x, y, a, b)};

			if (apart(a, b) > REACH)
				break;
			if (!a->rises && !b->rises)
				continue;
			if (!add_meeting(m, &now))
				return false;
			strong += a->strong && b->strong ? 1 : 0;
		}
	}
	if (strong < 2)
		return true;
	p = fmin(1, 2 * (double)m->pairs * poisson_at_least(expected_of(x, y, true, 0), strong));
	for (size_t i = from; i < m->n; i++)
		if (m->items[i].hit[0]->strong && m->items[i].hit[1]->strong)
			m->items[i].p = fmin(m->items[i].p, p);
	return true;
}

static int64_t first_of(const struct meeting *x)
{
	return x->hit[0]->first < x->hit[1]->first ? x->hit[0]->first : x->hit[1]->first;
}

static int64_t last_of(const struct meeting *x)
{
	return x->hit[0]->last > x->hit[1]->last ? x->hit[0]->last : x->hit[1]->last;
}

TS_ORDER(meeting_by_step, struct meeting, TS_UP_OF(first_of))

static bool is_counted(const struct meetings *m, const struct meeting *x)
{
	if (x->p <= TS_COINCIDENCE_LEVEL)
		return true;
	return (x->hit[0]->chance <= m->usual || x->hit[0]->strong) && (x->hit[1]->chance <= m->usual || x->hit[1]->strong);
}

static unsigned axes_of(const struct meetings *m, const struct meeting *x)
{
	return 1U << (x->axis[0] - m->c->axes) | 1U << (x->axis[1] - m->c->axes);
}

/* Joins meetings that overlap into groups; the p-value of a group is that of its least likely meeting. */
static bool group_up(struct meetings *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->n; i++)
		if (is_counted(m, &m->items[i]))
			m->items[kept++] = m->items[i];
	m->n = kept;
	m->groups = ts_arena_array(m->arena, kept, sizeof *m->groups);
	if (!m->groups)
		return false;
	TS_SORT(m->items, kept, meeting_by_step);
	for (size_t i = 0; i < kept; i++) {
		const struct meeting *x = &m->items[i];
		struct group *g = m->n_groups ? &m->groups[m->n_groups - 1] : NULL;

		if (!g || first_of(x) > g->last) {
			g = &m->groups[m->n_groups++];
			*g = (struct group){first_of(x), last_of(x), 0, 1, 0, i, i};
		}
		g->last = last_of(x) > g->last ? last_of(x) : g->last;
		g->axes |= axes_of(m, x);
		g->p = fmin(g->p, x->p);
		g->score = fmax(g->score, fmax(x->hit[0]->score, x->hit[1]->score));
		g->to = i + 1;
		m->best = fmin(m->best, x->p);
	}
	return true;
}

static bool find_meetings(struct meetings *m)
{
	const struct ts_coincidence *c = m->c;

	m->best = 1;
	m->usual = fmin(0.02, 1 / sqrt((2 * REACH + 1) * (double)(m->steps * m->pairs)));
	for (size_t i = 0; i < c->n_axes; i++)
		for (size_t j = i + 1; j < c->n_axes; j++)
			if (c->axes[i].decided && c->axes[j].decided && !meet(m, &c->axes[i], &c->axes[j]))
				return false;
	return group_up(m);
}

/* --- rows and events --- */

TS_ORDER_OF_POINTERS(by_name, struct ts_axis, TS_TEXT(name))

/* Returns the names of the axes whose bits are set, in order, joined by ", ". The result's .data is NULL when there
 * is no memory. */
static struct ts_span names_of(const struct ts_coincidence *c, unsigned axes, struct ts_arena *arena)
{
	const struct ts_axis *list[TS_COINCIDENCE_AXES];
	const char *text = "";
	size_t n = 0;

	for (size_t i = 0; i < c->n_axes; i++)
		if (axes >> i & 1)
			list[n++] = &c->axes[i];
	TS_SORT(list, n, by_name);
	for (size_t i = 0; text && i < n; i++)
		text = ts_arena_printf(arena, "%s%s%.*s", text, i ? ", " : "", TS_SPAN_ARG(list[i]->name));
	return text ? ts_span_str(text) : ts_span_of(NULL, 0);
}

/* Returns the hit of an axis in a group that is furthest out, or NULL if the axis is not in the group. */
static const struct ts_hit *strongest(const struct meetings *m, const struct group *g, const struct ts_axis *axis)
{
	const struct ts_hit *best = NULL;

	for (size_t i = g->from; i < g->to; i++)
		for (size_t k = 0; k < 2; k++)
			if (m->items[i].axis[k] == axis && (!best || m->items[i].hit[k]->score > best->score))
				best = m->items[i].hit[k];
	return best;
}

/* Returns the axes that have a hit in the group that goes up, or is not finite: at least one. */
static unsigned rising(const struct meetings *m, const struct group *g)
{
	unsigned axes = 0;

	for (size_t i = g->from; i < g->to; i++)
		for (size_t k = 0; k < 2; k++)
			if (m->items[i].hit[k]->rises)
				axes |= 1U << (m->items[i].axis[k] - m->c->axes);
	return axes;
}

/* Sets the steps that the strongest hit of each axis spans: these are the simultaneous steps, without noise beside
 * them. */
static void span_of(const struct meetings *m, struct group *g)
{
	bool first = true;

	for (size_t i = 0; i < m->c->n_axes; i++) {
		const struct ts_hit *h = strongest(m, g, &m->c->axes[i]);

		if (!h)
			continue;
		g->first = first || h->first < g->first ? h->first : g->first;
		g->last = first || h->last > g->last ? h->last : g->last;
		first = false;
	}
}

static bool add_event(const struct meetings *m, const struct group *g, struct ts_arena *arena, struct ts_events *events)
{
	struct ts_event event = {
		.kind = TS_EVENT_COINCIDENCE,
		.group = ts_answer_group_name(TS_ANSWER_CROSS),
		.subject = names_of(m->c, g->axes, arena),
		.first_step = g->first,
		.last_step = g->last,
		.score = -log10(fmax(g->p, 1e-300)),
	};
	double furthest = -1;

	if (!event.subject.data)
		return false;
	for (size_t i = 0; i < m->c->n_axes; i++) {
		const struct ts_hit *h = strongest(m, g, &m->c->axes[i]);

		if (h && h->score > furthest) {
			furthest = h->score;
			event.value = h->value;
			event.expected = h->expected;
		}
	}
	return ts_event_add(events, arena, &event);
}

/* Sorts the most significant group first; among equals (p-values at the limit), the one of more axes, then the one
 * further out. */
TS_ORDER(by_p, struct group, TS_UP(p); TS_BY(__builtin_popcount(b->axes), __builtin_popcount(a->axes)); TS_DOWN(score);
	 TS_UP(first))

/* The rows of an axis: its value, and the value that was expected. */
struct axis_measures {
	enum ts_measure_name value, expected;
};

static struct axis_measures measures_of(struct ts_span axis)
{
	if (ts_span_is(axis, "step_time"))
		return (struct axis_measures){TS_M_AXIS_SECONDS, TS_M_AXIS_EXPECTED_SECONDS};
	if (ts_span_starts(axis, ts_span_str("memory")))
		return (struct axis_measures){TS_M_AXIS_BYTES, TS_M_AXIS_EXPECTED_BYTES};
	return (struct axis_measures){TS_M_AXIS_VALUE, TS_M_AXIS_EXPECTED};
}

static bool axis_rows(const struct meetings *m, const struct group *g, struct ts_span subject, struct ts_arena *arena,
		      struct ts_measures *measures)
{
	for (size_t i = 0; i < m->c->n_axes; i++) {
		const struct ts_axis *axis = &m->c->axes[i];
		const struct ts_hit *h = strongest(m, g, axis);
		struct axis_measures what = measures_of(axis->name);
		struct ts_measure value = ts_measure_row(what.value, subject),
				  expected = ts_measure_row(what.expected, subject);
		const char *name;

		if (!h)
			continue;
		name = ts_arena_printf(arena, "%.*s_expected", TS_SPAN_ARG(axis->name));
		if (!name)
			return false;
		value.name = ts_span_of(name, axis->name.len);
		value.known = true;
		value.value = h->value;
		expected.name = ts_span_str(name);
		expected.known = !isnan(h->expected);
		if (expected.known)
			expected.value = h->expected;
		else
			expected.reason = ts_span_str("a value that is NaN has no expected value");
		if (!ts_measure_put(measures, arena, &value) || !ts_measure_put(measures, arena, &expected))
			return false;
	}
	return true;
}

static bool group_rows(const struct meetings *m, const struct group *g, size_t place, struct ts_arena *arena,
		       struct ts_measures *measures)
{
	const char *text = ts_measure_subject(TS_M_COINCIDENCE_FIRST, (int64_t)place, arena);
	struct ts_span names = names_of(m->c, g->axes, arena), up = names_of(m->c, rising(m, g), arena), subject;

	if (!text || !names.data || !up.data)
		return false;
	subject = ts_span_str(text);
	return ts_measure_add(measures, arena, TS_M_COINCIDENCE_FIRST, subject, (double)g->first) &&
	       ts_measure_add(measures, arena, TS_M_COINCIDENCE_LAST, subject, (double)g->last) &&
	       ts_measure_text(measures, arena, TS_M_COINCIDENCE_AXES, subject, names) &&
	       ts_measure_text(measures, arena, TS_M_COINCIDENCE_RISING, subject, up) &&
	       ts_measure_add(measures, arena, TS_M_COINCIDENCE_P_VALUE, subject, g->p) &&
	       axis_rows(m, g, subject, arena, measures);
}

/* Adds the significant groups, the most significant first. */
static bool report(struct meetings *m, struct ts_arena *arena, struct ts_measures *measures, struct ts_events *events)
{
	size_t from = events->n, significant = 0;

	TS_SORT(m->groups, m->n_groups, by_p);
	while (significant < m->n_groups && m->groups[significant].p <= TS_COINCIDENCE_LEVEL) {
		struct group *g = &m->groups[significant++];

		span_of(m, g);
		if (!add_event(m, g, arena, events))
			return false;
	}
	ts_events_trim(events, from);
	if (!ts_measure_add(measures, arena, TS_M_COINCIDENCES_COUNT, TS_NO_SUBJECT, (double)m->n_groups) ||
	    !ts_measure_add(measures, arena, TS_M_COINCIDENCES_EXPECTED, TS_NO_SUBJECT, m->expected) ||
	    !ts_measure_add(measures, arena, TS_M_COINCIDENCES_P_VALUE, TS_NO_SUBJECT, m->best) ||
	    !ts_measure_add(measures, arena, TS_M_COINCIDENCES_SIGNIFICANT, TS_NO_SUBJECT, (double)significant))
		return false;
	for (size_t i = 0; i < significant && i < TS_COINCIDENCE_ROWS; i++)
		if (!group_rows(m, &m->groups[i], i + 1, arena, measures))
			return false;
	return true;
}

static bool unknown_rows(struct ts_arena *arena, struct ts_measures *measures)
{
	static const enum ts_measure_name rows[] = {TS_M_COINCIDENCES_COUNT, TS_M_COINCIDENCES_EXPECTED,
						    TS_M_COINCIDENCES_P_VALUE, TS_M_COINCIDENCES_SIGNIFICANT};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (!ts_measure_unknown(measures, arena, rows[i], TS_NO_SUBJECT,
					"fewer than two signals have enough values"))
			return false;
	return true;
}

static bool names_row(const struct ts_coincidence *c, unsigned axes, enum ts_measure_name what, struct ts_arena *arena,
		      struct ts_measures *measures)
{
	struct ts_span names = names_of(c, axes, arena);

	if (!names.data)
		return false;
	if (axes == 0)
		return ts_measure_unknown(measures, arena, what, TS_NO_SUBJECT, "no signal has enough values");
	return ts_measure_text(measures, arena, what, TS_NO_SUBJECT, names);
}

enum ts_status ts_coincidence_finish(struct ts_coincidence *c, struct ts_arena *arena, struct ts_measures *measures,
				     struct ts_events *events, struct ts_error *err)
{
	struct meetings m = {.c = c, .arena = c->arena};
	unsigned present = 0, all = (1U << c->n_axes) - 1;
	size_t n = 0;
	bool ok;

	TS_DOOR(ts_events_hold(events));
	TS_DOOR(ts_measures_hold(measures));
	for (size_t i = 0; i < c->n_axes; i++) {
		if (!c->axes[i].decided)
			continue;
		present |= 1U << i;
		n++;
		m.steps = c->axes[i].n > m.steps ? c->axes[i].n : m.steps;
	}
	ok = names_row(c, present, TS_M_AXES_PRESENT, arena, measures) &&
	     (present == all || names_row(c, all & ~present, TS_M_AXES_TOO_SHORT, arena, measures)) &&
	     ts_measure_add(measures, arena, TS_M_AXES_CHECKED, TS_NO_SUBJECT, (double)m.steps);
	m.pairs = n < 2 ? 0 : n * (n - 1) / 2;
	if (ok)
		ok = m.pairs ? find_meetings(&m) && report(&m, arena, measures, events) : unknown_rows(arena, measures);
	return ok ? TS_OK : ts_arena_error(arena, err);
}
