#include "cli/report/chart_scale.h"

#include "cli/report/svg.h"
#include "cli/view/show_value.h"

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

	if (value == 0 && (last >= LONGEST || last < SHORTEST))
		return "0";
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

	return unit == TS_UNIT_NONE ? plain(value, step, arena) : ts_show_measure_apart(&m, step, arena);
}

static void add(struct ts_ticks *ticks, double value, double step, enum ts_unit unit, struct ts_arena *arena)
{
	ticks->at[ticks->n] = value;
	ticks->labels[ticks->n++] = label(value, step, unit, arena);
}

/* Goes through the first `parts` of 1, 2 and 5 times every so-manieth power of ten. ticks NULL: only counts them. */
static size_t log_walk(const struct ts_scale *scale, size_t parts, int every, struct ts_ticks *ticks, enum ts_unit unit,
		       struct ts_arena *arena)
{
	static const double part[] = {1, 2, 5};
	int last = (int)ceil(log10(scale->high));
	size_t n = 0;

	for (int power = (int)floor(log10(scale->low)); power <= last; power++)
		for (size_t i = 0; i < parts && power % every == 0; i++) {
			double value = part[i] * pow(10, power);

			if (value < scale->low || value > scale->high)
				continue;
			n++;
			if (ticks)
				add(ticks, value, pow(10, power), unit, arena);
		}
	return n;
}

/* 1, 2 and 5 times the powers of ten; only the powers, or every second, third, ... of them, where that is too many. */
static struct ts_ticks log_ticks(const struct ts_scale *scale, enum ts_unit unit, size_t most, struct ts_arena *arena)
{
	enum { PARTS = 3 };
	size_t parts = log_walk(scale, PARTS, 1, NULL, unit, arena) <= most ? PARTS : 1;
	struct ts_ticks ticks = {.n = 0};
	int every = 1;

	while (parts == 1 && log_walk(scale, 1, every, NULL, unit, arena) > most)
		every++;
	log_walk(scale, parts, every, &ticks, unit, arena);
	return ticks;
}

/* What round numbers of a unit are multiples of: bytes are shown in KiB, MiB, ... */
static double round_in(enum ts_unit unit, double most)
{
	enum { NEXT = 1024 };
	double one = 1;

	while (unit == TS_UNIT_BYTES && most >= NEXT * one)
		one *= NEXT;
	return one;
}

struct ts_ticks ts_scale_ticks(const struct ts_scale *scale, enum ts_unit unit, size_t most, struct ts_arena *arena)
{
	struct ts_ticks ticks = {.n = 0};
	double alone = pow(10, floor(log10(scale->high / 2 - scale->low / 2)) - 2); /* the last digit of a tick that is the only one */
	double at[TS_SVG_TICKS], one = round_in(unit, fmax(fabs(scale->low), fabs(scale->high)));
	size_t n;

	most = most > TS_TICKS_MAX ? TS_TICKS_MAX : most;
	if (scale->log && scale->high / scale->low >= 4) {
		ticks = log_ticks(scale, unit, most, arena);
		if (ticks.n >= 2)
			return ticks;
		ticks.n = 0;
	}
	n = ts_svg_ticks(scale->low / one, scale->high / one, most, at);
	for (size_t i = 0; i < n; i++)
		add(&ticks, at[i] * one, n > 1 ? (at[1] - at[0]) * one : alone, unit, arena);
	return ticks;
}
