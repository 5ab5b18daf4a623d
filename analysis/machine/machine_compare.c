#include "analysis/machine/machine_compare.h"

#include "analysis/answer/say.h"

#include <math.h>

enum { OBSERVATIONS = 30 };
#define AT_WORK 0.3 /* a GPU that was busy for so much of the time */

enum over { ALONE, LOWEST, HIGHEST };

/* What is compared. by: how far apart two values have to be, as a part of the greater one, or, of a share, in parts of 1. */
static const struct {
	enum ts_measure_name what;
	enum over over; /* GPUs */
	const char *title, *unit;
	double by;
} compared[] = {
	{TS_M_GPU_POWER_LIMIT, LOWEST, "limit of power of GPUs", " W", 0.02},
	{TS_M_GPU_CLOCK, LOWEST, "clock of GPUs at work", " MHz", 0.05},
	{TS_M_GPU_HELD_BY_HEAT, HIGHEST, "time in which heat held a GPU's clock", "", 0.05},
	{TS_M_GPU_HELD_BY_OTHERS, HIGHEST, "time in which its board held a GPU's clock", "", 0.05},
	{TS_M_MACHINE_CORES_ALLOWED, ALONE, "cores that may be used", "", 0.05},
	{TS_M_MACHINE_QUOTA_HELD, ALONE, "time in which a quota held the run", "", 0.05},
	{TS_M_MACHINE_STOLEN, ALONE, "steal", "", 0.03},
	{TS_M_MACHINE_CPU_PRESSURE, ALONE, "time in which a process waited for a core", "", 0.2},
	{TS_M_MACHINE_SWAPS, ALONE, "time in which the machine swapped", "", 0.05},
	{TS_M_MACHINE_WORKER_CORES, ALONE, "cores of a worker that loads data", "", 0.25},
	{TS_M_MACHINE_WORKERS_BLOCKED, ALONE, "time in which workers were blocked by storage", "", 0.15},
};

static bool works(const struct ts_measures *m, struct ts_span gpu)
{
	double busy;

	return ts_measure_value(m, TS_M_GPU_BUSY, gpu, &busy) && busy >= AT_WORK;
}

/* The value of the machine, or that of the lowest or highest GPU at work; NaN: not known. */
static double value_of(const struct ts_measures *m, enum ts_measure_name what, enum over over)
{
	double found = (double)NAN;

	for (size_t i = 0; i < m->n; i++) {
		const struct ts_measure *row = &m->items[i];

		if (!ts_measure_is(row, what) || !row->known || !isfinite(row->value) || (over != ALONE && !works(m, row->subject)))
			continue;
		if (isnan(found) || (over == LOWEST ? row->value < found : row->value > found))
			found = row->value;
	}
	return found;
}

static bool is_observed(const struct ts_measures *m)
{
	double n;

	return ts_measure_value(m, TS_M_MACHINE_COUNT, TS_NO_SUBJECT, &n) && n >= OBSERVATIONS;
}

static bool differ(size_t i, double a, double b)
{
	bool share = ts_measure_specs[compared[i].what].unit == TS_UNIT_RATIO;

	return fabs(a - b) >= compared[i].by * (share ? 1 : fmax(fabs(a), fabs(b))); /* NaN does not */
}

static const char *said(size_t i, double value, struct ts_arena *arena)
{
	if (ts_measure_specs[compared[i].what].unit == TS_UNIT_RATIO)
		return ts_arena_printf(arena, "%s", ts_say_percent(value).text);
	return ts_arena_printf(arena, "%s", ts_say_number(value).text);
}

enum ts_status ts_machine_compare(const struct ts_measures *run, const struct ts_measures *against, struct ts_arena *arena,
				  struct ts_span *ret, struct ts_error *err)
{
	const char *text = "";

	for (size_t i = 0; is_observed(run) && is_observed(against) && i < sizeof compared / sizeof compared[0]; i++) {
		double a = value_of(run, compared[i].what, compared[i].over), b = value_of(against, compared[i].what, compared[i].over);

		if (differ(i, a, b))
			text = ts_arena_phrase(arena, "%s%s%s %s%s against %s%s", text, *text ? "; " : "", compared[i].title,
					       said(i, a, arena), compared[i].unit, said(i, b, arena), compared[i].unit);
	}
	*ret = ts_span_str(text);
	return ts_arena_check(arena, err);
}
