#include "cli/report/chart_scale.h"

#include "cli/report/svg.h"
#include "cli/text/show_value.h"

#include <float.h>
#include <math.h>

struct ts_scale ts_scale_of(double low, double high, bool log)
{
	if (low < high)
		return (struct ts_scale){low, high, log};
	if (log) /* halved and doubled, and still in the range of a double */
		return (struct ts_scale){low > DBL_MIN ? low / 2 : low, high < DBL_MAX / 2 ? high * 2 : DBL_MAX, log};
	if (fabs(low) > DBL_MAX / 2)
		return (struct ts_scale){-DBL_MAX, DBL_MAX, log};
	return (struct ts_scale){low - (low == 0 ? 1 : fabs(low) / 10), high + (high == 0 ? 1 : fabs(high) / 10), log};
}

/* The difference of two doubles may exceed their range, so both are halved. */
double ts_scale_place(const struct ts_scale *scale, double value)
{
	double low = scale->low, high = scale->high, place;

	if (scale->log) {
		if (!(value > 0))
			return 0;
		low = log(low);
		high = log(high);
		value = log(value);
	}
	place = (value / 2 - low / 2) / (high / 2 - low / 2);
	return place > 0 ? (place < 1 ? place : 1) : 0;
}

/* A number with the digits that tell it from one a step away: 0.002, 150000, 2e-7, 1.5e9. */
static const char *plain(double value, double step, struct ts_arena *arena)
{
	enum { LONGEST = 7, SHORTEST = -5, DIGITS = 15 };
	int last = step > 0 ? (int)floor(log10(step) + 1e-9) : 0, first = value != 0 ? (int)floor(log10(fabs(value)) + 1e-9) : last;
	int digits = first - last < 0 ? 0 : first - last > DIGITS ? DIGITS : first - last;
	const char *text;
	char *e;

	if (first < LONGEST && last >= SHORTEST)
		return ts_arena_printf(arena, "%.*f", last < 0 ? -last : 0, value);
	text = ts_arena_printf(arena, "%.*e", digits, value);
	e = text ? strchr(text, 'e') : NULL;
	if (!e)
		return text;
	return ts_arena_printf(arena, "%.*se%s%s", (int)(e - text), text, e[1] == '-' ? "-" : "", e + 2 + (e[2] == '0'));
}

static const char *label(double value, double step, enum ts_unit unit, struct ts_arena *arena)
{
	struct ts_measure m = {.unit = unit, .known = true, .value = value};

	return unit == TS_UNIT_NONE ? plain(value, step, arena) : ts_show_measure(&m, arena);
}

static void add(struct ts_ticks *ticks, double value, double step, enum ts_unit unit, struct ts_arena *arena)
{
	ticks->at[ticks->n] = value;
	ticks->labels[ticks->n++] = label(value, step, unit, arena);
}

/* 1, 2 and 5 times the powers of ten; only the powers, or only every second or third one, where there are many. */
static struct ts_ticks log_ticks(const struct ts_scale *scale, enum ts_unit unit, size_t most, struct ts_arena *arena)
{
	static const double parts[] = {1, 2, 5};
	int first = (int)floor(log10(scale->low)), last = (int)ceil(log10(scale->high)), every = 1;
	size_t per = (size_t)(last - first) * 3 <= most + 2 ? 3 : 1;
	struct ts_ticks ticks = {.n = 0};

	while ((last - first) / every + 1 > (int)most)
		every++;
	for (int power = first; power <= last; power += every)
		for (size_t i = 0; i < per && ticks.n < most; i++) {
			double value = parts[i] * pow(10, power);

			if (value >= scale->low && value <= scale->high)
				add(&ticks, value, pow(10, power), unit, arena);
		}
	return ticks;
}

struct ts_ticks ts_scale_ticks(const struct ts_scale *scale, enum ts_unit unit, size_t most, struct ts_arena *arena)
{
	struct ts_ticks ticks = {.n = 0};
	double at[TS_SVG_TICKS];
	size_t n;

	if (scale->log && scale->high / scale->low >= 4) {
		ticks = log_ticks(scale, unit, most, arena);
		if (ticks.n >= 2)
			return ticks;
		ticks.n = 0;
	}
	n = ts_svg_ticks(scale->low, scale->high, most, at);
	for (size_t i = 0; i < n; i++)
		add(&ticks, at[i], n > 1 ? at[1] - at[0] : fabs(at[i]), unit, arena);
	return ticks;
}
