/* chart_scale.h - the axis of a chart: where a value lies between its ends, its ticks, and their labels. */
#ifndef TSCOPE_CLI_REPORT_CHART_SCALE_H
#define TSCOPE_CLI_REPORT_CHART_SCALE_H

#include "analysis/answer/measure.h"
#include "base/arena.h"

enum { TS_TICKS_MAX = 12 };

struct ts_scale {
	double low, high; /* low is below high; both above 0 if log is set */
	bool log;
};

struct ts_ticks {
	double at[TS_TICKS_MAX]; /* ascending, within the scale */
	const char *labels[TS_TICKS_MAX];
	size_t n;
};

/* The scale of values from low to high, which may be equal, with a little room if they are. */
struct ts_scale ts_scale_of(double low, double high, bool log);
/* 0 at the low end, 1 at the high end; values outside lie at the nearer end, NaN at 0. */
double ts_scale_place(const struct ts_scale *scale, double value);
/* Round values, at most `most` (2 or more) and TS_TICKS_MAX. Labels of plain numbers and times have the digits that tell neighbours
 * apart; those of other units are as elsewhere. NULL labels: the arena is full. */
struct ts_ticks ts_scale_ticks(const struct ts_scale *scale, enum ts_unit unit, size_t most, struct ts_arena *arena);

#endif
