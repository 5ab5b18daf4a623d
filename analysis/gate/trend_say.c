/* trend_say.c - the sentence of a trend. */
#include "analysis/gate/trend_internal.h"

#include "analysis/answer/say.h"
#include "analysis/stats/stats.h"

#include <math.h>

enum { SHORT = 12 };

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
	const char *way = c->after > c->before ? "rose" : "fell", *end = c->accepted ? "; this change was accepted" : "";
	double ago = (double)c->runs_ago;

	if (!from || !to)
		return NULL;
	if (c->with_host)
		end = "; the runs before and after it are of different hosts, so nobody can tell whether the host or the code is the "
		      "cause";
	else if (c->cost == TS_TREND_CAME_BACK)
		end = c->accepted ? end : "; the level is back where it was before";
	else if (c->cost == TS_TREND_MOVED && !c->accepted)
		end = ts_arena_printf(arena, "; another workload (%.*s) %s by %s there, so the cost moved", TS_SPAN_ARG(c->other),
				      c->other_size > 0 ? "rose" : "fell", ts_say_percent(fabs(c->other_size)).text);
	if (!end)
		return NULL;
	if (!isfinite(c->size))
		return ts_arena_printf(arena, "%s from 0 to %s between %s and %s, %s ago%s", way,
				       ts_say_value(c->after, ts_metrics[trend->metric].unit).text, from, to,
				       ts_say_plural(ago, "run").text, end);
	return ts_arena_printf(arena, "%s by %s between %s and %s, %s ago%s", way, ts_say_percent(fabs(c->size)).text, from, to,
			       ts_say_plural(ago, "run").text, end);
}

/* "rose by 3.1 % (99 % interval 2.5 % to 3.7 %) from A to B, over 300 runs and without a step" */
static const char *say_drift(const struct ts_trend *trend, const struct ts_trend_series *s, struct ts_arena *arena)
{
	const struct ts_trend_drift *d = trend->drift;
	const char *from = place(&trend->runs[d->from], arena), *to = place(&trend->runs[d->to], arena);
	bool up = d->size > 0;

	if (!from || !to)
		return NULL;
	return ts_arena_printf(arena, "%s by %s (99 %% interval %s to %s) from %s to %s, over %zu runs and without a step%s",
			       up ? "rose" : "fell", ts_say_percent(fabs(d->size)).text,
			       ts_say_percent(up ? d->low : -d->high).text, ts_say_percent(up ? d->high : -d->low).text, from, to, s->n,
			       d->accepted ? "; a change was accepted on the way" : "");
}

static const char *say_level(const struct ts_trend *trend, const struct ts_trend_series *s, struct ts_arena *arena)
{
	double *scratch = ts_arena_array(arena, s->n, sizeof *scratch);
	struct ts_say value;

	if (!scratch)
		return NULL;
	value = ts_say_value(ts_median(s->levels, s->n, scratch), ts_metrics[trend->metric].unit);
	if (s->n == 1)
		return ts_arena_printf(arena, "is %s in the one run that counts; one run is too few for a trend", value.text);
	if (s->n < 2 * (size_t)TS_CHANGE_LEAST)
		return ts_arena_printf(arena, "is %s in %zu runs; these are too few for a trend", value.text, s->n);
	if (trend->n_moved)
		return ts_arena_printf(
			arena,
			"is %s over %zu runs; its level moved at %s, and none of it is claimed: that the level wanders, so that "
			"runs are like the runs before them, is more likely",
			value.text, s->n, ts_say_plural((double)trend->n_moved, "place").text);
	return ts_arena_printf(arena, "is %s over %zu runs, and no change of its level was found", value.text, s->n);
}

const char *ts_trend_title(const struct ts_trend *trend, struct ts_arena *arena)
{
	bool logged = trend->metric >= TS_METRICS;
	const char *name = ts_arena_printf(arena, "%.*s", TS_SPAN_ARG(trend->name));

	if (!logged && trend->metric != TS_METRIC_LOSS)
		return ts_metrics[trend->metric].title;
	return name ? ts_metric_title(logged ? name : ts_metrics[trend->metric].title, name, trend->column, trend->other_column,
				      "older runs", arena)
		    : NULL;
}

enum ts_status ts_trend_say(struct ts_trend *trend, const struct ts_trend_series *s, struct ts_arena *arena, struct ts_error *err)
{
	const char *title = ts_trend_title(trend, arena), *what, *text;
	struct ts_span name = ts_span_after(trend->branch, '/');

	if (!title)
		return ts_arena_error(arena, err);
	if (s->n == 0) {
		text = ts_arena_printf(arena, "no run of %.*s has a %s that counts", TS_SPAN_ARG(name), title);
	} else {
		what = trend->drift	  ? say_drift(trend, s, arena)
		       : trend->n_changes ? say_change(trend, &trend->changes[trend->n_changes - 1], arena)
					  : say_level(trend, s, arena);
		text = what ? ts_arena_printf(arena, "%s of %.*s %s", title, TS_SPAN_ARG(name), what) : NULL;
	}
	if (!text)
		return ts_arena_error(arena, err);
	trend->sentence = ts_span_str(text);
	return TS_OK;
}
