#include "analysis/gate/trend_internal.h"

#include "analysis/stats/stats.h"

#include <math.h>

#define MAX_P 0.001
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

static bool accepted(const struct ts_trend *trend, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (trend->runs[i].accepted)
			return true;
	return false;
}

static enum ts_status tell_changes(struct ts_trend *trend, const struct ts_trend_series *s, const struct ts_trend_claims *c,
				   struct ts_arena *arena, struct ts_error *err)
{
	double *scratch = ts_arena_array(arena, s->n, sizeof *scratch);

	trend->changes = ts_arena_array(arena, c->n, sizeof *trend->changes);
	if (!scratch || !trend->changes)
		return ts_arena_error(arena, err);
	trend->n_changes = c->n;
	for (size_t i = 0; i < c->n; i++) {
		size_t from = i ? c->points[i - 1].at : 0, at = c->points[i].at, to = i + 1 < c->n ? c->points[i + 1].at : s->n;
		struct ts_trend_change *change = &trend->changes[i];
		size_t slack = TS_CHANGE_LEAST - 1;

		*change = (struct ts_trend_change){
			.at = s->at[at], .last_before = s->at[at - 1], .p = c->points[i].p, .with_host = c->with_host[i]};
		change->before = ts_median(s->levels + from, at - from, scratch);
		change->after = ts_median(s->levels + at, to - at, scratch);
		change->size = (change->after - change->before) / fabs(change->before);
		change->worse = (change->after > change->before) == ts_metrics[trend->metric].less_is_better;
		change->accepted = accepted(trend, s->at[at - slack], to < s->n ? s->at[to - slack] : trend->n_runs);
	}
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
	drift->worse = (drift->size > 0) == ts_metrics[trend->metric].less_is_better;
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

	trend->drift = NULL;
	if (count(trend, arena, &s, err) || scale(trend, policy, arena, &s, err) || take_out(trend, arena, &s, err))
		return err->status;
	options.min_size = s.min;
	if (ts_change_points(s.values, s.n, &options, arena, &claims.points, &claims.n, err) ||
	    ts_trend_settle(&s, arena, &claims, err) || tell_changes(trend, &s, &claims, arena, err) ||
	    tell_drift(trend, &s, &claims, arena, err))
		return err->status;
	trend->wandering = claims.wandering;
	ts_trend_place(trend);
	return ts_trend_say(trend, &s, arena, err);
}

void ts_trend_place(struct ts_trend *trend)
{
	for (size_t i = 0; i < trend->n_changes; i++) {
		struct ts_trend_change *change = &trend->changes[i];
		const struct ts_trend_run *before = &trend->runs[change->last_before], *after = &trend->runs[change->at];

		change->commit_before = before->commit;
		change->commit_after = after->commit;
		change->host_before = before->host;
		change->host_after = after->host;
		change->runs_ago = trend->n_runs - change->at;
	}
}

bool ts_trend_is_worse(const struct ts_trend *trend)
{
	const struct ts_trend_change *last = trend->n_changes ? &trend->changes[trend->n_changes - 1] : NULL;

	if (trend->drift)
		return trend->drift->worse && !trend->drift->accepted;
	return last && last->worse && !last->accepted && !last->with_host;
}
