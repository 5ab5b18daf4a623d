/* checks_memory.c - rules on device memory. */
#include "analysis/answer/row_words.h"
#include "analysis/rules/check.h"

/* The peak of allocated memory: from the peaks within steps, or without them from the values at the ends of steps. */
static bool need_peak(struct ts_check *c, double *ret_peak)
{
	return ts_check_want_of(c, TS_M_MEMORY_PEAK, ts_memory_columns[TS_MEMORY_ALLOC], ret_peak) ||
	       ts_check_need_of(c, TS_M_MEMORY_PEAK, ts_memory_columns[TS_MEMORY_PEAK_ALLOC], ret_peak);
}

void ts_check_pressure(struct ts_check *c)
{
	double pressure, device;

	if (!ts_check_need(c, TS_M_CAPACITY_PRESSURE, &pressure) || !ts_check_need(c, TS_M_CAPACITY_DEVICE, &device))
		return;
	if (pressure < ts_check_threshold(c, "min_pressure"))
		return;
	ts_check_worse(c, pressure);
	ts_check_fire(c, pressure >= ts_check_threshold(c, "high_pressure") ? TS_SEVERITY_HIGH : TS_SEVERITY_MEDIUM,
		      "The peak of memory is %s of the %s that the device has", ts_say_percent(pressure).text,
		      ts_say_bytes(device).text);
}

struct growth {
	double slope, total;
	double since;
	bool late;     /* it begins within the run, comes in stairs, or cycles hide it: since is known */
	bool interval; /* low and high are known */
	double low, high;
};

/* True where memory grows by more than chance explains: its slope is above 0 and its p-value is small, or the analysis found
 * the step from which its floor grows; and the interval of the slope, if there is one, does not hold 0. Where the slope or the p-value
 * is not known, the result is false and the rule is unchecked; where memory does not grow, it is false and the rule has passed. */
static bool need_growth(struct ts_check *c, struct growth *ret)
{
	double p, level = ts_check_threshold(c, "max_p_value");

	ret->late = ts_check_want(c, TS_M_GROWTH_SINCE, &ret->since);
	if (!ts_check_need(c, TS_M_GROWTH_SLOPE, &ret->slope) || (!ret->late && !ts_check_need(c, TS_M_GROWTH_P_VALUE, &p)) ||
	    !ts_check_need(c, TS_M_GROWTH_TOTAL, &ret->total))
		return false;
	if (!ret->late)
		ts_check_chance(c, p, level);
	ret->interval = ts_check_want(c, TS_M_GROWTH_SLOPE_LOW, &ret->low) && ts_check_want(c, TS_M_GROWTH_SLOPE_HIGH, &ret->high);
	return (ret->late || p <= level) && ret->slope > 0 && ret->total > 0 && !(ret->interval && ret->low <= 0);
}

void ts_check_forecast(struct ts_check *c)
{
	double left, lengths;
	struct growth g;

	if (!need_growth(c, &g) || !ts_check_need(c, TS_M_CAPACITY_STEPS_LEFT, &left))
		return;
	lengths = left / (g.total / g.slope);
	if (lengths > ts_check_threshold(c, "max_lengths"))
		return;
	ts_check_worse(c, -lengths);
	ts_check_fire(c, lengths <= ts_check_threshold(c, "high_lengths") ? TS_SEVERITY_HIGH : TS_SEVERITY_MEDIUM,
		      "If memory goes on to grow by %s per step, the device will be full after %s more; it has grown "
		      "over %s so far",
		      ts_say_bytes(g.slope).text, ts_say_plural(nearbyint(left), "step").text,
		      ts_say_plural(nearbyint(g.total / g.slope), "step").text);
}

void ts_check_growth(struct ts_check *c)
{
	double peak, share, rises;
	enum ts_creep_kind creep;
	struct growth g;
	const char *how;

	if (!need_growth(c, &g) || !need_peak(c, &peak))
		return;
	share = g.total / peak;
	if (!(share >= ts_check_threshold(c, "min_share")))
		return;
	creep = ts_creep_of(ts_check_text(c, TS_M_CREEP_KIND));
	how = ts_check_want(c, TS_M_GROWTH_RISES, &rises)
		      ? ts_arena_phrase(c->arena, ", in %s, between which its lowest values stay", ts_say_plural(rises, "rise").text)
	      : g.late ? ", measured at the lowest values, between which it may rise and fall"
		       : "";
	ts_check_worse(c, share);
	if (g.late)
		ts_check_steps(c, (int64_t)g.since, (int64_t)g.since);
	ts_check_fire(c, share >= ts_check_threshold(c, "high_share") ? TS_SEVERITY_HIGH : TS_SEVERITY_MEDIUM,
		      "%s by %s per step%s and by %s in all, which is %s of its peak%s%s",
		      g.late ? ts_arena_phrase(c->arena, "From about step %.0f on, memory grows", g.since) : "Memory grows",
		      ts_say_bytes(g.slope).text,
		      g.interval ? ts_arena_phrase(c->arena, " (95 %% confidence interval %s to %s)", ts_say_bytes(g.low).text,
						   ts_say_bytes(g.high).text)
				 : "",
		      ts_say_bytes(g.total).text, ts_say_percent(share).text, how,
		      creep != TS_CREEP_NONE ? "; TraceML's rule reports it too" : "");
}

void ts_check_fragmentation(struct ts_check *c)
{
	double ratio, unused, peak;

	if (!ts_check_need(c, TS_M_FRAGMENTATION, &ratio) || !ts_check_need(c, TS_M_FRAGMENTATION_UNUSED, &unused) ||
	    !need_peak(c, &peak))
		return;
	if (peak < ts_check_threshold(c, "min_peak") || ratio < ts_check_threshold(c, "min_ratio"))
		return;
	ts_check_worse(c, ratio);
	ts_check_fire(c, ratio >= ts_check_threshold(c, "medium_ratio") ? TS_SEVERITY_MEDIUM : TS_SEVERITY_LOW,
		      "Even at the memory peaks of the steps, no tensor uses %s (%s) of what the allocator holds",
		      ts_say_percent(ratio).text, ts_say_bytes(unused).text);
}
