#include "analysis/gate/trend.h"

#include "analysis/answer/say.h"
#include "analysis/stats/change_point.h"
#include "analysis/stats/stats.h"

#include <math.h>

enum { SHORT = 12 };

#define MAX_P 0.001
/* The seed of the permutations: any number, but always the same. */
#define SEED UINT64_C(0x7473636f7065)

/* The runs whose value counts. */
struct counted {
	size_t *at;	/* index in trend->runs */
	double *values; /* on the scale that is compared */
	size_t n;
};

static bool can_be(enum ts_metric metric, double value)
{
	return isfinite(value) && (value > 0 || !ts_metrics[metric].log_scale);
}

static enum ts_status count(struct ts_trend *trend, struct ts_arena *arena, struct counted *c, struct ts_error *err)
{
	*c = (struct counted){.at = ts_arena_array(arena, trend->n_runs, sizeof *c->at),
			      .values = ts_arena_array(arena, trend->n_runs, sizeof *c->values)};
	if (!c->at || !c->values)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < trend->n_runs; i++) {
		struct ts_trend_run *run = &trend->runs[i];

		if (run->known && !can_be(trend->metric, run->value)) {
			run->known = false;
			run->reason = ts_span_str(isfinite(run->value) ? "its value is not above 0" : "its value is not finite");
		}
		if (!run->known)
			continue;
		c->at[c->n] = i;
		c->values[c->n++] = run->value;
	}
	trend->left_out = trend->n_runs - c->n;
	return TS_OK;
}

/* Converts the values to the scale on which they are compared; *ret_min is the smallest change that counts on it. */
static enum ts_status scale(const struct ts_trend *trend, const struct ts_gate_policy *policy, struct ts_arena *arena,
			    struct counted *c, double *ret_min, struct ts_error *err)
{
	const struct ts_metric_row *row = &ts_metrics[trend->metric];
	double *scratch = ts_arena_array(arena, c->n, sizeof *scratch), middle;

	if (!scratch)
		return ts_arena_error(arena, err);
	*ret_min = policy->min_size[trend->metric];
	if (c->n == 0)
		return TS_OK;
	middle = fabs(ts_median(c->values, c->n, scratch));
	if (!(middle > 0)) { /* a relative size has no meaning, so only the absolute minimum counts */
		*ret_min = row->min_absolute;
		return TS_OK;
	}
	*ret_min = fmax(*ret_min, row->min_absolute / middle);
	if (row->log_scale)
		*ret_min = log1p(*ret_min);
	for (size_t i = 0; i < c->n; i++)
		c->values[i] = row->log_scale ? log(c->values[i]) : c->values[i] / middle;
	return TS_OK;
}

static double level(const struct ts_trend *trend, const struct counted *c, size_t from, size_t to, double *scratch)
{
	for (size_t i = from; i < to; i++)
		scratch[i - from] = trend->runs[c->at[i]].value;
	return ts_median(scratch, to - from, scratch);
}

static bool accepted(const struct ts_trend *trend, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (trend->runs[i].accepted)
			return true;
	return false;
}

static enum ts_status tell_changes(struct ts_trend *trend, const struct counted *c, const struct ts_change_point *points, size_t n,
				   struct ts_arena *arena, struct ts_error *err)
{
	double *scratch = ts_arena_array(arena, c->n, sizeof *scratch);

	trend->changes = ts_arena_array(arena, n, sizeof *trend->changes);
	if (!scratch || !trend->changes)
		return ts_arena_error(arena, err);
	trend->n_changes = n;
	for (size_t i = 0; i < n; i++) {
		size_t from = i ? points[i - 1].at : 0, at = points[i].at, to = i + 1 < n ? points[i + 1].at : c->n;
		struct ts_trend_change *change = &trend->changes[i];
		size_t slack = TS_CHANGE_LEAST - 1;

		*change = (struct ts_trend_change){.at = c->at[at], .last_before = c->at[at - 1], .p = points[i].p};
		change->before = level(trend, c, from, at, scratch);
		change->after = level(trend, c, at, to, scratch);
		change->size = (change->after - change->before) / fabs(change->before);
		change->worse = (change->after > change->before) == ts_metrics[trend->metric].less_is_better;
		change->accepted = accepted(trend, c->at[at - slack], to < c->n ? c->at[to - slack] : trend->n_runs);
	}
	return TS_OK;
}

/* --- in words --- */

/* Returns how a sentence names a run: "3f2a9c81d0e4", or "run 5d1b..." where it records no commit. */
static const char *place(const struct ts_trend_run *run, struct ts_arena *arena)
{
	char hex[TS_ID_HEX + 1];

	if (run->commit.len)
		return ts_arena_printf(arena, "%.*s", (int)(run->commit.len < SHORT ? run->commit.len : SHORT),
				       (const char *)run->commit.data);
	return ts_arena_printf(arena, "run %.*s", SHORT, ts_id_hex(&run->id, hex));
}

/* "rose by 3.1 % between A and B, 12 runs ago" */
static const char *say_change(const struct ts_trend *trend, const struct ts_trend_change *c, struct ts_arena *arena)
{
	const char *from = place(&trend->runs[c->last_before], arena), *to = place(&trend->runs[c->at], arena);
	const char *way = c->after > c->before ? "rose" : "fell";
	double ago = (double)c->runs_ago;

	if (!from || !to)
		return NULL;
	if (!isfinite(c->size))
		return ts_arena_printf(arena, "%s from 0 to %s between %s and %s, %s ago", way,
				       ts_say_value(c->after, ts_metrics[trend->metric].unit).text, from, to,
				       ts_say_plural(ago, "run").text);
	return ts_arena_printf(arena, "%s by %s between %s and %s, %s ago", way, ts_say_percent(fabs(c->size)).text, from, to,
			       ts_say_plural(ago, "run").text);
}

static const char *say_level(const struct ts_trend *trend, const struct counted *c, double *scratch, struct ts_arena *arena)
{
	struct ts_say value = ts_say_value(level(trend, c, 0, c->n, scratch), ts_metrics[trend->metric].unit);

	if (c->n == 1)
		return ts_arena_printf(arena, "is %s in the one run that counts; one run is too few for a trend", value.text);
	if (c->n < 2 * (size_t)TS_CHANGE_LEAST)
		return ts_arena_printf(arena, "is %s in %zu runs; these are too few for a trend", value.text, c->n);
	return ts_arena_printf(arena, "is %s over %zu runs, and no change of its level was found", value.text, c->n);
}

static enum ts_status say(struct ts_trend *trend, const struct counted *c, struct ts_arena *arena, struct ts_error *err)
{
	const char *title = ts_metrics[trend->metric].title, *what, *text;
	struct ts_span name = ts_span_after(trend->branch, '/');
	double *scratch = ts_arena_array(arena, c->n, sizeof *scratch);
	const struct ts_trend_change *last = trend->n_changes ? &trend->changes[trend->n_changes - 1] : NULL;

	if (!scratch)
		return ts_arena_error(arena, err);
	if (c->n == 0) {
		text = ts_arena_printf(arena, "no run of %.*s has a %s that counts", TS_SPAN_ARG(name), title);
	} else {
		what = last ? say_change(trend, last, arena) : say_level(trend, c, scratch, arena);
		text = what ? ts_arena_printf(arena, "%s of %.*s %s%s", title, TS_SPAN_ARG(name), what,
					      last && last->accepted ? "; this change was accepted" : "")
			    : NULL;
	}
	if (!text)
		return ts_arena_error(arena, err);
	trend->sentence = ts_span_str(text);
	return TS_OK;
}

enum ts_status ts_trend_judge(struct ts_trend *trend, const struct ts_gate_policy *policy, struct ts_arena *arena,
			      struct ts_error *err)
{
	struct ts_change_options options = {.max_p = MAX_P, .seed = SEED};
	struct ts_change_point *points = NULL;
	struct counted c;
	size_t n = 0;

	if (count(trend, arena, &c, err) || scale(trend, policy, arena, &c, &options.min_size, err) ||
	    ts_change_points(c.values, c.n, &options, arena, &points, &n, err) ||
	    tell_changes(trend, &c, points, n, arena, err))
		return err->status;
	ts_trend_place(trend);
	return say(trend, &c, arena, err);
}

void ts_trend_place(struct ts_trend *trend)
{
	for (size_t i = 0; i < trend->n_changes; i++) {
		struct ts_trend_change *change = &trend->changes[i];

		change->commit_before = trend->runs[change->last_before].commit;
		change->commit_after = trend->runs[change->at].commit;
		change->runs_ago = trend->n_runs - change->at;
	}
}

bool ts_trend_is_worse(const struct ts_trend *trend)
{
	const struct ts_trend_change *last = trend->n_changes ? &trend->changes[trend->n_changes - 1] : NULL;

	return last && last->worse && !last->accepted;
}
