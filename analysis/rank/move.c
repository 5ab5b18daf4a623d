#include "analysis/rank/move.h"

#include "analysis/rank/rise.h"
#include "analysis/stats/slope.h"
#include "analysis/stats/stats.h"
#include "base/door.h"

#include <math.h>

enum {
	LEAST = 8, /* finite values */
	SHORT = 64,
	LEFT_MOST = 256,
	LEFT_AFTER = 6,
	LEFT_BEFORE = 2,
	LEFT_CHANCE = 250, /* the values before are the least ones by chance once in as many orders */
	PLACES = 16,	   /* the begin of a rise is known to such a part of what lies before and behind it */
	WINDOW_LEAST = 12,
	DRIFT_LEAST = 20,
	END_LEAST = 5, /* values of the level at the end */
	NEAR_STEPS = 2,
};

static const double worse_by = 0.1, short_worse_by = 0.5, factor = 2, drift_by = 1.5, rate_by = 0.2;
static const double apart = 1.5;       /* between the extremes of both sides of `left`, whose medians are a factor of two apart */
static const double flat_share = 0.25; /* of a rise, that a series may have risen before it */
static const double still = 0.8;       /* share of neighbours that are equal, in a setting */

struct looking {
	const struct ts_move_about *about;
	const double *x; /* finite values */
	const int64_t *keys;
	size_t n;
	double *scratch;
};

static bool is_worse(const struct looking *l, double before, double after)
{
	return (l->about->direction == TS_DIRECTION_DOWN && after > before) ||
	       (l->about->direction == TS_DIRECTION_UP && after < before);
}

static double magnitude(const double *x, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, fabs(x[i]));
	return most;
}

static bool times_apart(double a, double b, double times)
{
	return a != 0 && b != 0 && (a > 0) == (b > 0) && fmax(fabs(a), fabs(b)) >= times * fmin(fabs(a), fabs(b));
}

/* at: index of the first value of the new level. */
static bool enough(const struct looking *l, double before, double after, size_t at)
{
	double by = fabs(after - before);

	if (is_worse(l, before, after) && before != 0)
		return by >= (l->n < SHORT ? short_worse_by : worse_by) * fabs(before);
	if (before != 0 && after != 0 && (before > 0) == (after > 0))
		return times_apart(before, after, factor);
	return by >= factor * magnitude(l->x, at);
}

static void moved(const struct looking *l, enum ts_move_kind kind, int64_t from, double before, double after, struct ts_move *io)
{
	io->kind = kind;
	io->from = from;
	io->before = before;
	io->after = after;
	io->worse = is_worse(l, before, after);
}

static double end_level(const struct looking *l)
{
	size_t n = l->n / 10 > END_LEAST ? l->n / 10 : END_LEAST;

	n = n < l->n ? n : l->n;
	return ts_median(l->x + (l->n - n), n, l->scratch);
}

/* --- what is no series of measurements --- */

static bool is_setting(const struct looking *l)
{
	size_t equal = 0, ups = 0, downs = 0;

	for (size_t i = 1; i < l->n; i++) {
		equal += l->x[i] == l->x[i - 1];
		ups += l->x[i] > l->x[i - 1];
		downs += l->x[i] < l->x[i - 1];
	}
	return (double)equal >= still * (double)(l->n - 1) || ups == 0 || downs == 0;
}

/* --- lost --- */

static void lost(const struct ts_series *s, struct ts_move *io)
{
	size_t last = s->n;

	while (last > 0 && !isfinite(s->values[last - 1]))
		last--;
	io->lost = last > 0 && s->n - last >= TS_MOVE_LOST_LEAST;
	if (io->lost)
		io->lost_from = s->keys[last];
}

/* --- jump --- */

/* Whether the learning rate changes from some step to another, or just beside these. */
static bool is_excused(const struct ts_move_about *about, int64_t from, int64_t to)
{
	for (size_t i = 0; i < about->n_excused; i++) {
		int64_t step = about->excused[i];

		if ((step < from && ts_key_distance(step, from) <= NEAR_STEPS) ||
		    (step > to && ts_key_distance(to, step) <= NEAR_STEPS) || (step >= from && step <= to))
			return true;
	}
	return false;
}

static size_t index_of(const struct looking *l, int64_t step)
{
	size_t i = 0;

	while (i < l->n && l->keys[i] < step)
		i++;
	return i;
}

static bool jump(const struct looking *l, const struct ts_series *s, const struct ts_spikes *found, struct ts_move *ret)
{
	double end = end_level(l), most = 0;

	for (size_t i = 0; i < found->n; i++) {
		const struct ts_spike *e = &found->items[i];
		int64_t step = s->keys[e->first];

		if (e->kind != TS_EVENT_SHIFT || is_excused(l->about, step, step) ||
		    fabs(end - e->value) >= fabs(e->value - e->expected) || !enough(l, e->expected, e->value, index_of(l, step)) ||
		    e->score <= most)
			continue;
		most = e->score;
		moved(l, TS_MOVE_JUMP, step, e->expected, e->value, ret);
	}
	return most > 0;
}

/* --- left --- */

/* In how many ways `at` of n values can be chosen, or LEFT_CHANCE if that is less. */
static double ways(size_t n, size_t at)
{
	double out = 1;

	for (size_t i = 0; i < at && out < LEFT_CHANCE; i++)
		out *= (double)(n - i) / (double)(at - i);
	return out;
}

/* The direction is known: sign is 1 where up is worse. The split with the widest gap between both sides is taken. */
static bool left(const struct looking *l, struct ts_move *ret)
{
	double sign = l->about->direction == TS_DIRECTION_DOWN ? 1 : -1, most = 0, beyond, before, after, *least = l->scratch;
	size_t at = 0;

	if (l->about->direction == TS_DIRECTION_UNKNOWN || l->n > LEFT_MOST)
		return false;
	for (size_t i = l->n; i-- > 0;)
		least[i] = i + 1 < l->n ? fmin(least[i + 1], sign * l->x[i]) : sign * l->x[i];
	beyond = sign * l->x[0];
	for (size_t i = 1; i + LEFT_AFTER <= l->n; i++) {
		if (i >= LEFT_BEFORE && l->n - i >= i && least[i] - beyond > most && times_apart(beyond, least[i], apart) &&
		    ways(l->n, i) >= LEFT_CHANCE) {
			most = least[i] - beyond;
			at = i;
		}
		beyond = fmax(beyond, sign * l->x[i]);
	}
	if (at == 0)
		return false;
	before = ts_median(l->x, at, l->scratch);
	after = ts_median(l->x + at, l->n - at, l->scratch);
	if (!times_apart(before, after, factor))
		return false;
	moved(l, TS_MOVE_LEFT, l->keys[at], before, after, ret);
	return true;
}

/* --- rise --- */

/* Whether the level at the end is above nearly all single values of as long a stretch before the rise: beside what wanders, a level
 * that is only a little out is no news. was_flat: and that stretch still lies near the lowest level. */
static bool stands_out(const double *y, size_t n, const struct ts_rise *rise, bool was_flat, double *scratch)
{
	static const double q[] = {50, 95};
	size_t w = n - rise->from > WINDOW_LEAST ? n - rise->from : WINDOW_LEAST;
	double out[2];

	w = w < rise->from ? w : rise->from;
	if (w == 0)
		return true;
	for (size_t i = 0; i < w; i++)
		scratch[i] = y[rise->from - w + i];
	ts_percentiles(scratch, w, q, 2, out);
	return rise->end > out[1] && (!was_flat || out[0] - rise->low <= flat_share * (rise->end - rise->low));
}

/* Looks for a rise of sign * x. */
static enum ts_status rise(const struct looking *l, double sign, struct ts_arena *arena, struct ts_move *ret, struct ts_error *err)
{
	double *y = ts_arena_array(arena, l->n, sizeof *y);
	struct ts_rise found;

	if (!y)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < l->n; i++)
		y[i] = sign * l->x[i];
	if (ts_rise_find(y, l->n, arena, &found, err))
		return err->status;
	if (!found.found || !stands_out(y, l->n, &found, l->about->direction == TS_DIRECTION_UNKNOWN, l->scratch) ||
	    (l->about->direction == TS_DIRECTION_UNKNOWN && found.from < l->n / 4))
		return TS_OK;
	found.low *= sign;
	found.end *= sign;
	if (l->about->direction != TS_DIRECTION_UNKNOWN && !is_worse(l, found.low, found.end))
		return TS_OK;
	if (!enough(l, found.low, found.end, found.from) ||
	    (l->about->direction == TS_DIRECTION_UNKNOWN &&
	     is_excused(l->about, l->keys[found.from - found.from / PLACES], l->keys[found.from + (l->n - 1 - found.from) / PLACES])))
		return TS_OK;
	moved(l, TS_MOVE_RISE, l->keys[found.from], found.low, found.end, ret);
	return TS_OK;
}

/* --- drift --- */

static enum ts_status drift(const struct looking *l, struct ts_arena *arena, struct ts_move *ret, struct ts_error *err)
{
	struct ts_series finite = {.keys = l->keys, .values = l->x, .n = l->n};
	size_t part = l->n / 10 > END_LEAST ? l->n / 10 : END_LEAST;
	double before, after = end_level(l);
	struct ts_slope s;

	if (!l->about->frozen || l->n < DRIFT_LEAST)
		return TS_OK;
	if (ts_slope_fit(&finite, TS_SLOPE_BLOCKS, arena, &s, err))
		return err->status;
	before = ts_median(l->x, part, l->scratch);
	if (!s.has_interval || (s.low <= 0 && s.high >= 0) || !times_apart(before, after, drift_by) ||
	    (after > before) != (s.slope > 0))
		return TS_OK;
	moved(l, TS_MOVE_DRIFT, l->keys[0], before, after, ret);
	return TS_OK;
}

/* --- all --- */

static bool finite_of(const struct ts_series *s, struct ts_arena *arena, struct looking *io)
{
	double *x = ts_arena_array(arena, s->n, sizeof *x);
	int64_t *keys = ts_arena_array(arena, s->n, sizeof *keys);

	io->scratch = ts_arena_array(arena, s->n, sizeof *io->scratch);
	if (!x || !keys || !io->scratch)
		return false;
	for (size_t i = 0; i < s->n; i++)
		if (isfinite(s->values[i])) {
			x[io->n] = s->values[i];
			keys[io->n++] = s->keys[i];
		}
	io->x = x;
	io->keys = keys;
	return true;
}

enum ts_status ts_move_find(const struct ts_series *series, const struct ts_move_about *about, const struct ts_spikes_fit *fit,
			    struct ts_arena *arena, struct ts_move *ret_move, struct ts_error *err)
{
	struct looking l = {.about = about};
	struct ts_move move = {.kind = TS_MOVE_NONE};
	struct ts_spikes found;

	TS_DOOR(ts_series_holds(series));
	lost(series, &move);
	*ret_move = move;
	if (!finite_of(series, arena, &l))
		return ts_arena_error(arena, err);
	if (l.n < LEAST || is_setting(&l))
		return TS_OK;
	if ((!fit && ts_spikes_fit(series, arena, &fit, err)) || ts_spikes_of(fit, TS_SPIKES_CHANCE, &found, err))
		return err->status;
	if (!jump(&l, series, &found, &move) && !left(&l, &move)) {
		if (rise(&l, 1, arena, &move, err) || (move.kind == TS_MOVE_NONE && rise(&l, -1, arena, &move, err)) ||
		    (move.kind == TS_MOVE_NONE && drift(&l, arena, &move, err)))
			return err->status;
	}
	*ret_move = move;
	return TS_OK;
}

enum ts_status ts_move_of_rate(const struct ts_series *rate, struct ts_arena *arena, struct ts_move_about *io_about,
			       struct ts_error *err)
{
	int64_t *steps = ts_arena_array(arena, rate->n, sizeof *steps);
	bool frozen = rate->n > 0;
	size_t n = 0;

	TS_DOOR(ts_series_holds(rate));
	if (rate->n && !steps)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < rate->n; i++) {
		frozen = frozen && rate->values[i] == 0;
		if (i > 0 && fabs(rate->values[i] - rate->values[i - 1]) >= rate_by * fabs(rate->values[i - 1]) &&
		    rate->values[i] != rate->values[i - 1])
			steps[n++] = rate->keys[i];
	}
	io_about->frozen = frozen;
	io_about->excused = steps;
	io_about->n_excused = n;
	return TS_OK;
}
