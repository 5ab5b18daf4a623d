/* trend_internal.h - the series of a trend as its tests see it. */
#ifndef TSCOPE_ANALYSIS_GATE_TREND_INTERNAL_H
#define TSCOPE_ANALYSIS_GATE_TREND_INTERNAL_H

#include "analysis/gate/trend.h"
#include "analysis/gate/trend_effects.h"
#include "analysis/stats/burst.h"
#include "analysis/stats/change_point.h"

/* The runs whose value counts. */
struct ts_trend_series {
	size_t *at;	/* index in trend->runs */
	size_t n;
	double *values; /* on the scale that is compared, less the effects of hosts and weekdays */
	double *calm;	/* the same without bursts */
	double *levels; /* the same in the metric's unit */
	double middle;	/* the median in the metric's unit */
	double min;	/* the smallest change that counts, on the scale that is compared */
	bool logs;	/* values are logarithms; else they are relative to the middle if that is above 0 */
	struct ts_trend_effects effects;
	struct ts_bursts bursts;
};

/* The points of a series that are claimed, or instead of them a drift (trend_settle.c). */
struct ts_trend_claims {
	struct ts_change_point *points;
	size_t n;
	bool *with_host; /* of each point */
	struct ts_change_point *found; /* all that were found, of which points are some; none where the series drifts */
	size_t n_found;
	bool drifts;
	double size, low, high; /* of the drift over the whole series, on the scale that is compared */
};

/* io->points and n are those that were found; this removes those that are not claimed. */
enum ts_status ts_trend_settle(const struct ts_trend_series *s, struct ts_arena *arena, struct ts_trend_claims *io,
			       struct ts_error *err);

/* Sets other and other_size of the changes (trend_others.c). */
void ts_trend_ask_others(const struct ts_trend *trend, const struct ts_trend_series *s);

/* Sets trend->sentence (trend_say.c). */
enum ts_status ts_trend_say(struct ts_trend *trend, const struct ts_trend_series *s, struct ts_arena *arena, struct ts_error *err);

#endif
