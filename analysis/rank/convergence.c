#include "analysis/rank/convergence.h"

#include "analysis/answer/row_words.h"
#include "analysis/rank/rise.h"
#include "analysis/stats/stats.h"
#include "base/door.h"
#include "run/direction.h"
#include "run/meaning.h"
#include "run/role.h"

enum {
	LEVEL_LEAST = 5, /* the least number of values in the initial and the final level */
	LEVEL_MOST = 100,
	TREND_LEAST = 20,
	TREND_POINTS = 32, /* medians of equally long runs of values; the trend is fitted to them */
	LAST_LEAST = 3,	   /* values in the last level of a blow-up */
	LAST_MOST = 16,
	RAMP = 16, /* values over which a blow-up may rise */
	BEFORE_LEAST = 64,
};

static const double large_change = 0.05, least_trend = 0.01;
/* A rise must be more than these shares of what the series has gained to matter, or to be called divergence. A trend of less than
 * so many deviations of single values, or than this share of what was gained, is flat. */
static const double least_of_gain = 0.005, diverged_of_gain = 0.05, flat_deviations = 3, flat_of_gain = 0.05;
static const double z95 = 1.959963984540054, z99 = 2.5758293035489004;

struct summary {
	struct ts_series series; /* from the first counted step on */
	enum ts_direction direction; /* unknown: neither value is better, and none is the best */
	struct ts_span subject;
	struct ts_arena *arena;
	struct ts_measures *measures;
	struct ts_events *events;
	const double *finite; /* the finite values */
	const int64_t *keys;  /* the steps of these values */
	size_t n, nonfinite;
	double first, last, best;
	int64_t best_step, nonfinite_step;
	bool ends_nonfinite, blew_up;
	bool minimized; /* it is a loss, or stands for one */
	struct ts_rise rise;
	bool falls; /* the second half falls by more than its ups and downs explain */
	double lowest; /* the least median of 16 consecutive values; HUGE_VAL if there are fewer */
};

static bool value_row(const struct summary *s, enum ts_measure_name what, double value, const char *reason)
{
	if (reason)
		return ts_measure_unknown(s->measures, s->arena, what, s->subject, reason);
	return ts_measure_add(s->measures, s->arena, what, s->subject, value);
}

static bool text_row(const struct summary *s, enum ts_measure_name what, const char *text)
{
	return ts_measure_text(s->measures, s->arena, what, s->subject, ts_span_str(text));
}

static bool add_event(const struct summary *s, enum ts_event_kind kind, int64_t from, int64_t to, double value,
		      double expected, double score)
{
	struct ts_event event = {
		.kind = kind,
		.group = ts_answer_group_name(TS_ANSWER_CONVERGENCE),
		.subject = s->subject,
		.first_step = from,
		.last_step = to,
		.value = value,
		.expected = expected,
		.score = score,
	};

	return ts_event_add(s->events, s->arena, &event);
}

/* --- what is there --- */

static bool copy_finite(struct summary *s)
{
	double *values = ts_arena_alloc(s->arena, s->n * sizeof *values);
	int64_t *keys = ts_arena_alloc(s->arena, s->n * sizeof *keys);
	size_t n = 0;

	if (!values || !keys)
		return false;
	for (size_t i = 0; i < s->series.n; i++) {
		if (!isfinite(s->series.values[i]))
			continue;
		keys[n] = s->series.keys[i];
		values[n++] = s->series.values[i];
	}
	s->finite = values;
	s->keys = keys;
	return true;
}

static bool scan(struct summary *s)
{
	for (size_t i = 0; i < s->series.n; i++) {
		double v = s->series.values[i];

		s->ends_nonfinite = !isfinite(v);
		if (!isfinite(v)) {
			if (s->nonfinite++ == 0)
				s->nonfinite_step = s->series.keys[i];
			continue;
		}
		if (s->n == 0)
			s->first = v;
		if (s->n++ == 0 || v < s->best) {
			s->best = v;
			s->best_step = s->series.keys[i];
		}
		s->last = v;
	}
	s->finite = s->series.values;
	s->keys = s->series.keys;
	return s->nonfinite == 0 || copy_finite(s);
}

/* Returns how many values at the end are not finite. */
static size_t lost_at_end(const struct summary *s)
{
	size_t n = 0;

	while (n < s->series.n && !isfinite(s->series.values[s->series.n - 1 - n]))
		n++;
	return n >= TS_CONVERGENCE_LOST || (n == s->series.n && n >= TS_CONVERGENCE_ALL) ? n : 0;
}

static bool place_rows(const struct summary *s)
{
	const struct ts_series *x = &s->series;
	size_t lost = lost_at_end(s);
	double end;

	if (lost && !value_row(s, TS_M_SERIES_LOST, (double)x->keys[x->n - lost], NULL))
		return false;
	if (x->n < 2)
		return true;
	end = (double)x->keys[x->n - 1];
	return value_row(s, TS_M_SERIES_EVERY, (end - (double)x->keys[0]) / (double)(x->n - 1), NULL) &&
	       value_row(s, TS_M_SERIES_END, end, NULL);
}

static bool extremes(const struct summary *s, const char *reason)
{
	bool ok = value_row(s, TS_M_SERIES_COUNT, (double)s->series.n, NULL) &&
		  value_row(s, TS_M_SERIES_FIRST, s->first, reason) &&
		  value_row(s, TS_M_SERIES_LAST, s->last, reason);

	if (s->direction != TS_DIRECTION_UNKNOWN)
		ok = ok && value_row(s, TS_M_SERIES_BEST, s->best, reason) &&
		     value_row(s, TS_M_SERIES_BEST_AT, (double)s->best_step, reason);
	if (!ok || s->nonfinite == 0)
		return ok;
	return value_row(s, TS_M_SERIES_NONFINITE, (double)s->nonfinite, NULL) &&
	       value_row(s, TS_M_SERIES_FIRST_NONFINITE, (double)s->nonfinite_step, NULL);
}

/* Adds each run of values that are not finite as an event whose score is its length. */
static bool nonfinite_runs(const struct summary *s)
{
	const struct ts_series *x = &s->series;
	size_t from = s->events->n;

	for (size_t i = 0; s->nonfinite && i < x->n; i++) {
		size_t last = i;

		if (isfinite(x->values[i]))
			continue;
		while (last + 1 < x->n && !isfinite(x->values[last + 1]))
			last++;
		if (!add_event(s, TS_EVENT_NONFINITE, x->keys[i], x->keys[last], x->values[i], NAN, (double)(last - i + 1)))
			return false;
		i = last;
	}
	ts_events_trim(s->events, from);
	return true;
}

/* --- levels and change --- */

struct level {
	double low, middle, high; /* median and its 95 % interval */
};

/* Finds the order statistics that contain the median with 95 %, by the normal approximation of the binomial. */
static bool level_of(const double *x, size_t n, struct ts_arena *arena, struct level *ret_level)
{
	double *copy = ts_arena_dup(arena, x, n * sizeof *x);
	double reach = (z95 * sqrt((double)n) / 2) / (double)(n - 1);
	double at[] = {50 - 100 * reach, 50, 50 + 100 * reach}, out[3];

	if (!copy)
		return false;
	at[0] = fmax(at[0], 0);
	at[2] = fmin(at[2], 100);
	ts_percentiles(copy, n, at, 3, out);
	*ret_level = (struct level){out[0], out[1], out[2]};
	return true;
}

static size_t level_values(size_t n)
{
	return n < LEVEL_LEAST ? LEVEL_LEAST : n > LEVEL_MOST ? LEVEL_MOST : n;
}

static bool change(const struct summary *s, const char *reason)
{
	size_t w_first = level_values(s->n / 50), w_last = level_values(s->n / 10);
	struct level initial = {0}, final = {0};
	double by, by_how_much, low, high;
	enum ts_series_progress progress = TS_PROGRESS_UNKNOWN;

	if (!reason && s->n < (size_t)2 * LEVEL_LEAST)
		reason = "fewer than 10 values are finite";
	if (!reason && (!level_of(s->finite, w_first, s->arena, &initial) ||
			!level_of(s->finite + (s->n - w_last), w_last, s->arena, &final)))
		return false;
	if (!value_row(s, TS_M_SERIES_INITIAL, initial.middle, reason) ||
	    !value_row(s, TS_M_SERIES_FINAL, final.middle, reason))
		return false;
	by = fabs(initial.middle);
	by_how_much = final.middle - initial.middle;
	low = (by_how_much - hypot(final.middle - final.low, initial.high - initial.middle)) / by;
	high = (by_how_much + hypot(final.high - final.middle, initial.middle - initial.low)) / by;
	if (s->best >= 0) { /* then no level is below 0 */
		low = fmax(low, -1);
		high = fmax(high, -1);
	}
	if (!reason && !(by > 0))
		reason = "the initial level is 0, so there is no relative change";
	if (!reason && (!isfinite(low) || !isfinite(high)))
		reason = "the levels differ too much for a ratio";
	if (!reason)
		progress = high <= -large_change ? TS_PROGRESS_FELL : low >= large_change ? TS_PROGRESS_ROSE : TS_PROGRESS_NONE;
	return value_row(s, TS_M_SERIES_CHANGE, by_how_much / by, reason) && value_row(s, TS_M_SERIES_CHANGE_LOW, low, reason) &&
	       value_row(s, TS_M_SERIES_CHANGE_HIGH, high, reason) &&
	       text_row(s, TS_M_SERIES_PROGRESS, ts_series_progress_word(progress));
}

/* --- blow-up --- */

static double lowest_level(const struct summary *s)
{
	double least = HUGE_VAL, scratch[LAST_MOST];

	for (size_t i = 0; i + LAST_MOST <= s->n; i += LAST_MOST)
		least = fmin(least, ts_median(s->finite + i, LAST_MOST, scratch));
	return least;
}

struct blow_up {
	size_t at;
	double before, last, score;
};

/* Asks whether the values from b->at on are beyond those before, and by how much. */
static bool beyond_before(const struct summary *s, struct blow_up *b, double *scratch)
{
	static const double quantiles[] = {25, 50, 75, 99};
	size_t after = s->n - b->at, end = b->at - (b->at >= 4 * RAMP ? RAMP : b->at / 4);
	size_t n = after > BEFORE_LEAST ? after : BEFORE_LEAST;
	size_t most = end / 2 > RAMP ? end / 2 : RAMP < end ? RAMP : end;
	double q[4], deviation, least = HUGE_VAL;

	n = n < most ? n : most;
	memcpy(scratch, s->finite + (end - n), n * sizeof *scratch);
	ts_percentiles(scratch, n, quantiles, 4, q);
	for (size_t i = b->at; i < s->n; i++)
		least = fmin(least, s->finite[i]);
	deviation = (q[2] - q[0]) / 1.3489795003921634;
	b->before = q[1];
	b->score = (b->last - b->before) / (deviation > 0 ? deviation : fabs(b->before));
	return least > q[3] && b->last >= b->before + fabs(b->before) && b->last - b->before >= 10 * deviation;
}

static bool find_blow_up(const struct summary *s, struct blow_up *ret, bool *ret_found)
{
	size_t least = s->ends_nonfinite ? 1 : LAST_LEAST, after, from;
	double scratch[LAST_MOST], *work, middle;

	*ret_found = false;
	if (s->n < (size_t)2 * LAST_MOST)
		return true;
	ret->last = s->ends_nonfinite ? s->last : ts_median(s->finite + s->n - LAST_LEAST, LAST_LEAST, scratch);
	middle = s->lowest / 2 + ret->last / 2;
	for (ret->at = s->n; ret->at > 0 && s->finite[ret->at - 1] > middle; ret->at--)
		;
	after = s->n - ret->at;
	if (after < least || ret->at < LAST_MOST)
		return true;
	from = after > LAST_MOST ? s->n - LAST_MOST : ret->at;
	ret->last = ts_median(s->finite + from, s->n - from, scratch);
	work = ts_arena_alloc(s->arena, (after > BEFORE_LEAST ? after : BEFORE_LEAST) * sizeof *work);
	if (!work)
		return false;
	*ret_found = beyond_before(s, ret, work);
	return true;
}

static bool blow_up(struct summary *s)
{
	struct blow_up b = {.at = 0};
	double most;

	if (!find_blow_up(s, &b, &s->blew_up))
		return false;
	if (!s->blew_up)
		return true;
	most = s->finite[b.at];
	for (size_t i = b.at; i < s->n; i++)
		most = fmax(most, s->finite[i]);
	return add_event(s, TS_EVENT_BLOW_UP, s->keys[b.at], s->keys[s->n - 1], most, b.before, b.score) &&
	       value_row(s, TS_M_SERIES_BLOW_UP, (double)s->keys[b.at], NULL);
}

/* --- trend --- */

struct trend {
	double slope, low, high; /* per step, 95 % */
	double low99, high99;
};

/* Reduces the second half of the finite values to medians of equally long runs; returns how many. */
static size_t thin(const struct summary *s, double *scratch, double *keys, double *values)
{
	size_t from = s->n / 2, n = s->n - from, points = n < TREND_POINTS ? n : TREND_POINTS;

	for (size_t i = 0; i < points; i++) {
		size_t a = from + i * n / points, b = from + (i + 1) * n / points;

		keys[i] = (double)s->keys[a] / 2 + (double)s->keys[b - 1] / 2;
		values[i] = ts_median(s->finite + a, b - a, scratch);
	}
	return points;
}

/* Returns the factor by which autocorrelation widens the variance of Kendall's S (Hamed and Rao 1998, lag 1 alone): the
 * correlation is that of the ranks of the residuals, so that one burst is not taken for it. */
static double inflation(const double *keys, const double *values, size_t n, double slope)
{
	double e[TREND_POINTS], rank[TREND_POINTS], product = 0, square = 0, r;

	for (size_t i = 0; i < n; i++)
		e[i] = values[i] - slope * (keys[i] - keys[0]);
	for (size_t i = 0; i < n; i++) {
		rank[i] = -(double)n / 2; /* the ranks, less their mean */
		for (size_t j = 0; j < n; j++)
			rank[i] += e[j] < e[i] ? 1 : e[j] > e[i] ? 0 : 0.5;
		square += rank[i] * rank[i];
		product += i ? rank[i] * rank[i - 1] : 0;
	}
	r = square > 0 ? product / square : 0;
	r = fmin(fmax(r, 0), 0.9);
	return (1 + r) / (1 - r);
}

/* Fits Theil and Sen's slope with Sen's intervals (Sen 1968). */
static struct trend fit_trend(const double *keys, const double *values, size_t n)
{
	static const double half[] = {50};
	double slopes[TREND_POINTS * (TREND_POINTS - 1) / 2], copy[TREND_POINTS * (TREND_POINTS - 1) / 2];
	double at[4], out[4], deviation, pairs;
	struct trend t;
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++)
			slopes[m++] = (values[j] - values[i]) / (keys[j] - keys[i]);
	memcpy(copy, slopes, m * sizeof *copy);
	ts_percentiles(copy, m, half, 1, &t.slope);
	pairs = (double)m;
	deviation = sqrt((double)(n * (n - 1) * (2 * n + 5)) / 18 * inflation(keys, values, n, t.slope));
	at[0] = fmax(50 - 50 * z95 * deviation / pairs, 0);
	at[1] = 100 - at[0];
	at[2] = fmax(50 - 50 * z99 * deviation / pairs, 0);
	at[3] = 100 - at[2];
	ts_percentiles(slopes, m, at, 4, out);
	t.low = out[0];
	t.high = out[1];
	t.low99 = out[2];
	t.high99 = out[3];
	return t;
}

/* Returns how far the level has come down since the beginning; 0 if it has not. */
static double gained(const struct summary *s)
{
	double scratch[LEVEL_LEAST], least = s->lowest;
	double initial = s->n < LEVEL_LEAST ? s->first : ts_median(s->finite, LEVEL_LEAST, scratch);

	return isfinite(least) ? fmax(initial - least, 0) : 0;
}

/* Returns a robust deviation of single values in the second half: within its parts or, where a part has too few, from one value to
 * the next (three quarters of the distances of two normal numbers are below 1.6268 deviations, and ties do not make it 0). */
static double deviation_of(const struct summary *s, size_t points, double *scratch)
{
	static const double quartiles[] = {25, 75};
	size_t from = s->n / 2, n = s->n - from;
	double q[2], sum = 0;

	if (n < 4 * points) {
		for (size_t i = 1; i < n; i++)
			scratch[i - 1] = fabs(s->finite[from + i] - s->finite[from + i - 1]);
		ts_percentiles(scratch, n - 1, quartiles, 2, q);
		return q[1] / 1.62683969519524;
	}
	for (size_t i = 0; i < points; i++) {
		size_t a = from + i * n / points, b = from + (i + 1) * n / points;

		memcpy(scratch, s->finite + a, (b - a) * sizeof *scratch);
		ts_percentiles(scratch, b - a, quartiles, 2, q);
		sum += (q[1] - q[0]) / 1.3489795003921634 / (double)points;
	}
	return sum;
}

/* What the second half does, in the unit of the values. */
struct recent {
	double by, low, high; /* from its beginning to its end, with the 95 % interval */
	double low99, high99;
	double level, deviation;
};

static enum ts_series_trend trend_of(const struct summary *s, const struct recent *r)
{
	double least = least_trend * r->level, gain = gained(s);
	double flat = fmax(least, fmax(flat_deviations * r->deviation, flat_of_gain * gain));

	bool judged = s->direction != TS_DIRECTION_UNKNOWN;

	if (s->rise.found)
		return judged ? TS_SERIES_TREND_WORSENING : TS_SERIES_TREND_RISING;
	if (r->by <= -least && (r->high99 < 0 || s->falls))
		return judged ? TS_SERIES_TREND_IMPROVING : TS_SERIES_TREND_FALLING;
	if (r->by >= least && r->low99 > 0)
		return judged ? TS_SERIES_TREND_WORSENING : TS_SERIES_TREND_RISING;
	return r->low >= -flat && r->high <= flat ? TS_SERIES_TREND_PLATEAU : TS_SERIES_TREND_UNKNOWN;
}

/* A loss that has at least doubled since it was lowest, by more than a little of what it had gained, has diverged. Of another
 * series nobody knows whether more is worse. */
static bool diverged(const struct summary *s)
{
	double rise = s->rise.end - s->rise.low;

	return s->blew_up || s->ends_nonfinite ||
	       (s->rise.found && s->minimized && rise >= fabs(s->rise.low) &&
		rise >= diverged_of_gain * gained(s));
}

static bool rise_rows(const struct summary *s)
{
	double by = (s->rise.end - s->rise.low) / fabs(s->rise.low);

	return value_row(s, TS_M_SERIES_RISE_AT, (double)s->keys[s->rise.from], NULL) &&
	       value_row(s, TS_M_SERIES_RISE, by, isfinite(by) ? NULL : "the level before the rise is 0") &&
	       value_row(s, TS_M_SERIES_RISE_LOW, s->rise.low, NULL) && value_row(s, TS_M_SERIES_RISE_END, s->rise.end, NULL);
}

static bool fit_recent(const struct summary *s, struct recent *ret)
{
	double keys[TREND_POINTS], values[TREND_POINTS], steps = (double)s->keys[s->n - 1] - (double)s->keys[s->n / 2];
	double *scratch = ts_arena_alloc(s->arena, (s->n / TREND_POINTS + 4 * TREND_POINTS) * sizeof *scratch);
	size_t points;
	struct trend t;

	if (!scratch)
		return false;
	points = thin(s, scratch, keys, values);
	t = fit_trend(keys, values, points);
	*ret = (struct recent){t.slope * steps, t.low * steps, t.high * steps, t.low99 * steps, t.high99 * steps, 0, 0};
	ret->deviation = deviation_of(s, points, scratch);
	ts_percentiles(values, points, (const double[]){50}, 1, &ret->level);
	ret->level = fabs(ret->level);
	return true;
}

/* Returns a change over the second half relative to its level; a fall of a series that is never below 0 relative to the level at the
 * beginning of the half, of which it cannot lose more than all. */
static double relative(const struct summary *s, double by, double level)
{
	return s->best >= 0 && by < 0 ? fmax(by / (level - by / 2), -1) : by / level;
}

static bool trend(const struct summary *s, const char *reason)
{
	struct recent r = {0};
	enum ts_series_trend trend = TS_SERIES_TREND_UNKNOWN;

	if (!reason && s->n < TREND_LEAST)
		reason = "fewer than 20 values are finite";
	if (!reason) {
		if (!fit_recent(s, &r))
			return false;
		trend = trend_of(s, &r);
		if (!(r.level > 0))
			reason = "the level of the second half is 0, so there is no relative change";
		else if (!isfinite(r.by / r.level) || !isfinite(r.low / r.level) || !isfinite(r.high / r.level))
			reason = "its values differ too much for a ratio";
	}
	if (diverged(s))
		trend = TS_SERIES_TREND_DIVERGED;
	return value_row(s, TS_M_SERIES_RECENT, relative(s, r.by, r.level), reason) &&
	       value_row(s, TS_M_SERIES_RECENT_LOW, relative(s, r.low, r.level), reason) &&
	       value_row(s, TS_M_SERIES_RECENT_HIGH, relative(s, r.high, r.level), reason) &&
	       text_row(s, TS_M_SERIES_TREND, ts_series_trend_word(trend)) && (!s->rise.found || rise_rows(s));
}

static enum ts_status rise_and_fall(struct summary *s, struct ts_error *err)
{
	double rise;
	size_t half = s->n / 2, later = half + s->n / 4; /* a burst that ends in this half is no fall of the whole half */
	bool again = false;

	if (ts_rise_find(s->finite, s->n, s->arena, &s->rise, err) ||
	    ts_falls(s->finite + half, s->n - half, s->arena, &s->falls, err) ||
	    ts_falls(s->finite + later, s->n - later, s->arena, &again, err))
		return err->status;
	s->falls = s->falls && again;
	rise = s->rise.end - s->rise.low;
	s->rise.found = s->rise.found && rise >= least_trend * fabs(s->rise.low) && rise >= least_of_gain * gained(s);
	return TS_OK;
}

/* --- spikes --- */

static bool spike_events(const struct summary *s, const struct ts_spikes *found, enum ts_event_kind kind)
{
	size_t from = s->events->n;
	const int64_t *keys = s->series.keys;

	for (size_t i = 0; i < found->n; i++) {
		const struct ts_spike *x = &found->items[i];

		if (x->kind == kind &&
		    !add_event(s, kind, keys[x->first], keys[x->last], x->value, x->expected, x->score))
			return false;
	}
	ts_events_trim(s->events, from);
	return true;
}

static enum ts_status spikes(const struct summary *s, const struct ts_spikes_fit *fit, struct ts_error *err)
{
	const char *reason = NULL;
	struct ts_spikes found;
	double least = 1;

	if (ts_spikes_of(fit, TS_SPIKES_CHANCE, &found, err))
		return err->status;
	if (!found.decided)
		reason = "fewer than 24 values are finite";
	for (size_t i = 0; i < found.n; i++)
		if (found.items[i].kind == TS_EVENT_SPIKE && found.items[i].chance < least)
			least = found.items[i].chance;
	if (found.spikes && !value_row(s, TS_M_SERIES_SPIKES_P_VALUE, fmin(1, least * (double)found.judged), NULL))
		return ts_arena_error(s->arena, err);
	return value_row(s, TS_M_SERIES_SPIKES, (double)found.spikes, reason) &&
			       value_row(s, TS_M_SERIES_DIPS, (double)found.dips, reason) &&
			       value_row(s, TS_M_SERIES_SHIFTS, (double)found.shifts, reason) &&
			       spike_events(s, &found, TS_EVENT_SPIKE) && spike_events(s, &found, TS_EVENT_DIP) &&
			       spike_events(s, &found, TS_EVENT_SHIFT)
		       ? TS_OK
		       : ts_arena_error(s->arena, err);
}

enum ts_status ts_convergence_summary(const struct ts_series *series, int64_t first, struct ts_arena *arena,
				      struct ts_measures *measures, struct ts_events *events, struct ts_plots *plots,
				      const struct ts_spikes_fit **ret_fit, struct ts_error *err)
{
	const struct ts_spikes_fit *fit;
	struct ts_span subject = ts_column_said(series->name);
	struct summary s = {.arena = arena, .measures = measures, .events = events};
	const char *reason = NULL;
	size_t cut = 0;

	TS_DOOR(!plots || ts_plots_hold(plots));
	TS_DOOR(ts_events_hold(events));
	TS_DOOR(ts_measures_hold(measures));
	TS_DOOR(ts_series_holds(series));
	while (cut < series->n && series->keys[cut] < first)
		cut++;
	s.subject = subject;
	s.direction = ts_column_ends_as_loss(series->name) ? TS_DIRECTION_DOWN : ts_direction_of(series->name);
	s.minimized = ts_column_ends_as_loss(subject) ||
		      (ts_column_meaning(subject) == TS_MEANS_OBJECTIVE && s.direction == TS_DIRECTION_DOWN);
	s.series = (struct ts_series){subject, series->keys + cut, series->values + cut, series->n - cut};
	if (!scan(&s))
		return ts_arena_error(arena, err);
	if (s.series.n == 0)
		reason = series->n ? "no step after warm-up has a value" : "the series has no rows";
	else if (s.n == 0)
		reason = "none of its values is finite";
	s.lowest = lowest_level(&s);
	if (rise_and_fall(&s, err))
		return err->status;
	if (!extremes(&s, reason) || !place_rows(&s) || !nonfinite_runs(&s) || !change(&s, reason) || !blow_up(&s) ||
	    !trend(&s, reason))
		return ts_arena_error(arena, err);
	if (ts_spikes_fit(&s.series, arena, &fit, err) || spikes(&s, fit, err))
		return err->status;
	if (ret_fit)
		*ret_fit = fit;
	return ts_plot_series(plots, TS_ANSWER_CONVERGENCE, subject, "value", TS_UNIT_NONE, &s.series, arena, err);
}
