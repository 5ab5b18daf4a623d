#include "analysis/gate/trend_internal.h"

#include "analysis/stats/stats.h"

#include <math.h>

#define MAX_P 0.001
/* The part of a change by which the level may be off after it went away again. */
#define BACK 0.34
/* The seed of the permutations: any number, but always the same. */
#define SEED UINT64_C(0x7473636f7065)

static bool can_be(enum ts_metric metric, double value)
{
	return isfinite(value) && (value > 0 || !ts_metrics[metric].log_scale);
}

static enum ts_status count(struct ts_trend *trend, struct ts_arena *arena, struct ts_trend_series *s, struct ts_error *err)
{
	*s = (struct ts_trend_series){.at = ts_arena_array(arena, trend->n_runs, sizeof *s->at),
				      .values = ts_arena_array(arena, trend->n_runs, sizeof *s->values),
				      .levels = ts_arena_array(arena, trend->n_runs, sizeof *s->levels)};
	if (!s->at || !s->values || !s->levels)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < trend->n_runs; i++) {
		struct ts_trend_run *run = &trend->runs[i];

		if (run->known && !can_be(trend->metric, run->value)) {
			run->known = false;
			run->reason = ts_span_str(isfinite(run->value) ? "its value is not above 0" : "its value is not finite");
		}
		if (!run->known)
			continue;
		s->at[s->n] = i;
		s->levels[s->n] = run->value;
		s->values[s->n++] = run->value;
	}
	trend->left_out = trend->n_runs - s->n;
	return TS_OK;
}

/* Converts the values to the scale on which they are compared. */
static enum ts_status scale(const struct ts_trend *trend, const struct ts_gate_policy *policy, struct ts_arena *arena,
			    struct ts_trend_series *s, struct ts_error *err)
{
	const struct ts_metric_row *row = &ts_metrics[trend->metric];
	double *scratch = ts_arena_array(arena, s->n, sizeof *scratch);

	if (!scratch)
		return ts_arena_error(arena, err);
	s->min = policy->min_size[trend->metric];
	if (s->n == 0)
		return TS_OK;
	s->middle = fabs(ts_median(s->values, s->n, scratch));
	if (!(s->middle > 0)) { /* a relative size has no meaning, so only the absolute minimum counts */
		s->min = row->min_absolute;
		return TS_OK;
	}
	s->min = fmax(s->min, row->min_absolute / s->middle);
	s->logs = row->log_scale;
	if (s->logs)
		s->min = log1p(s->min);
	for (size_t i = 0; i < s->n; i++)
		s->values[i] = s->logs ? log(s->values[i]) : s->values[i] / s->middle;
	return TS_OK;
}

static double relative(const struct ts_trend_series *s, double size)
{
	return s->logs ? expm1(size) : size;
}

/* Takes out what hosts and weekdays add. */
static enum ts_status take_out(struct ts_trend *trend, struct ts_arena *arena, struct ts_trend_series *s, struct ts_error *err)
{
	struct ts_trend_label *labels = ts_arena_array(arena, s->n, sizeof *labels);

	if (!labels)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < s->n; i++)
		labels[i] = (struct ts_trend_label){trend->runs[s->at[i]].host, trend->runs[s->at[i]].started_ns};
	if (ts_trend_effects_fit(s->values, labels, s->n, arena, &s->effects, err))
		return err->status;
	for (size_t i = 0; i < s->n; i++) {
		double effect = s->effects.effect[i];

		s->values[i] -= effect;
		s->levels[i] = s->logs ? s->levels[i] * exp(-effect) : s->levels[i] - effect * (s->middle > 0 ? s->middle : 1);
	}
	trend->host_spread = relative(s, s->effects.host_spread);
	trend->weekday_spread = relative(s, s->effects.weekday_spread);
	return TS_OK;
}

static enum ts_status calm(struct ts_arena *arena, struct ts_trend_series *s, struct ts_error *err)
{
	s->calm = ts_arena_array(arena, s->n, sizeof *s->calm);
	if (!s->calm)
		return ts_arena_error(arena, err);
	return ts_burst_calm(s->values, s->n, arena, s->calm, &s->bursts, err);
}

static bool accepted(const struct ts_trend *trend, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (trend->runs[i].accepted)
			return true;
	return false;
}

static bool is_worse(const struct ts_trend *trend, bool rose)
{
	return trend->better == (rose ? TS_BETTER_LOWER : TS_BETTER_HIGHER);
}

/* Tells the i-th of n points that part the series. */
static struct ts_trend_change told(const struct ts_trend *trend, const struct ts_trend_series *s, const struct ts_change_point *points,
				   size_t n, size_t i, double *scratch)
{
	size_t from = i ? points[i - 1].at : 0, at = points[i].at, to = i + 1 < n ? points[i + 1].at : s->n;
	size_t slack = TS_CHANGE_LEAST - 1;
	struct ts_trend_change change = {.at = s->at[at], .last_before = s->at[at - 1], .p = points[i].p};

	change.before = ts_median(s->levels + from, at - from, scratch);
	change.after = ts_median(s->levels + at, to - at, scratch);
	change.size = (change.after - change.before) / fabs(change.before);
	change.worse = is_worse(trend, change.after > change.before);
	change.accepted = accepted(trend, s->at[at - slack], to < s->n ? s->at[to - slack] : trend->n_runs);
	return change;
}

static bool is_claimed(const struct ts_trend_claims *c, size_t at)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->points[i].at == at)
			return true;
	return false;
}

static enum ts_status tell_changes(struct ts_trend *trend, const struct ts_trend_series *s, const struct ts_trend_claims *c,
				   struct ts_arena *arena, struct ts_error *err)
{
	double *scratch = ts_arena_array(arena, s->n, sizeof *scratch);

	trend->changes = ts_arena_array(arena, c->n, sizeof *trend->changes);
	trend->moved = ts_arena_array(arena, c->n_found, sizeof *trend->moved);
	if (!scratch || !trend->changes || !trend->moved)
		return ts_arena_error(arena, err);
	trend->n_changes = c->n;
	trend->n_moved = 0;
	for (size_t i = 0; i < c->n; i++) {
		trend->changes[i] = told(trend, s, c->points, c->n, i, scratch);
		trend->changes[i].with_host = c->with_host[i];
	}
	for (size_t i = 0; i < c->n_found; i++)
		if (!is_claimed(c, c->found[i].at))
			trend->moved[trend->n_moved++] = told(trend, s, c->found, c->n_found, i, scratch);
	return TS_OK;
}

static enum ts_status tell_drift(struct ts_trend *trend, const struct ts_trend_series *s, const struct ts_trend_claims *c,
				 struct ts_arena *arena, struct ts_error *err)
{
	struct ts_trend_drift *drift;

	if (!c->drifts)
		return TS_OK;
	drift = ts_arena_array(arena, 1, sizeof *drift);
	if (!drift)
		return ts_arena_error(arena, err);
	*drift = (struct ts_trend_drift){.from = s->at[0],
					 .to = s->at[s->n - 1],
					 .size = relative(s, c->size),
					 .low = relative(s, c->low),
					 .high = relative(s, c->high)};
	drift->worse = is_worse(trend, drift->size > 0);
	drift->accepted = accepted(trend, drift->from, trend->n_runs);
	trend->drift = drift;
	return TS_OK;
}

enum ts_status ts_trend_judge(struct ts_trend *trend, const struct ts_gate_policy *policy, struct ts_arena *arena,
			      struct ts_error *err)
{
	struct ts_change_options options = {.max_p = MAX_P, .seed = SEED};
	struct ts_trend_claims claims = {.n = 0};
	struct ts_trend_series s;

	trend->name = ts_span_str(ts_gate_metric_name(policy, trend->metric));
	trend->better = ts_gate_metric_better(policy, trend->metric);
	trend->drift = NULL;
	if (count(trend, arena, &s, err) || scale(trend, policy, arena, &s, err) || take_out(trend, arena, &s, err))
		return err->status;
	options.min_size = s.min;
	if (calm(arena, &s, err) || ts_change_points(s.calm, s.n, &options, arena, &claims.points, &claims.n, err) ||
	    ts_trend_settle(&s, arena, &claims, err) || tell_changes(trend, &s, &claims, arena, err) ||
	    tell_drift(trend, &s, &claims, arena, err))
		return err->status;
	ts_trend_ask_others(trend, &s);
	ts_trend_place(trend);
	return ts_trend_say(trend, &s, arena, err);
}

static void place(const struct ts_trend *trend, struct ts_trend_change *change)
{
	const struct ts_trend_run *before = &trend->runs[change->last_before], *after = &trend->runs[change->at];

	change->commit_before = before->commit;
	change->commit_after = after->commit;
	change->host_before = before->host;
	change->host_after = after->host;
	change->runs_ago = trend->n_runs - change->at;
}

/* Asks whether change k brought the level back to that before change i. */
static bool brings_back(const struct ts_trend_change *i, const struct ts_trend_change *k)
{
	return (i->after > i->before) != (k->after > k->before) && fabs(k->after - i->before) <= BACK * fabs(i->after - i->before) &&
	       fabs(k->before - k->after) >= BACK * fabs(i->after - i->before);
}

/* Each change goes away with the first later one that brings its level back, unless that belongs to one in between. */
static void find_mates(struct ts_trend *trend)
{
	for (size_t i = 0; i < trend->n_changes; i++)
		trend->changes[i].cost = trend->changes[i].other.len	      ? TS_TREND_MOVED
					 : trend->better == TS_BETTER_UNKNOWN ? TS_TREND_UNKNOWN
					 : trend->changes[i].worse	      ? TS_TREND_ADDED
									      : TS_TREND_TAKEN_OFF;
	for (size_t k = 1; k < trend->n_changes; k++)
		for (size_t i = k; i-- > 0;) {
			struct ts_trend_change *first = &trend->changes[i], *last = &trend->changes[k];

			if (first->cost == TS_TREND_WENT || first->cost == TS_TREND_CAME_BACK || !brings_back(first, last))
				continue;
			first->cost = TS_TREND_WENT;
			last->cost = TS_TREND_CAME_BACK;
			first->mate = k;
			last->mate = i;
			break;
		}
}

void ts_trend_place(struct ts_trend *trend)
{
	for (size_t i = 0; i < trend->n_changes; i++)
		place(trend, &trend->changes[i]);
	for (size_t i = 0; i < trend->n_moved; i++)
		place(trend, &trend->moved[i]);
	find_mates(trend);
}

bool ts_trend_is_worse(const struct ts_trend *trend)
{
	const struct ts_trend_change *last = trend->n_changes ? &trend->changes[trend->n_changes - 1] : NULL;

	if (trend->drift)
		return trend->drift->worse && !trend->drift->accepted;
	return last && last->worse && !last->accepted && !last->with_host;
}
