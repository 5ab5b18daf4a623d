#include "analysis/convergence.h"

#include "analysis/slope.h"
#include "analysis/spikes.h"
#include "analysis/stats.h"

static const char GROUP[] = "convergence";

enum {
	LEVEL_LEAST = 5, /* values of the initial and the final level */
	LEVEL_MOST = 100,
	TREND_LEAST = 20,
	TREND_BLOCKS = 64,
	LAST_LEAST = 3, /* values of the last level of a blow-up */
	LAST_MOST = 16,
	RAMP = 16, /* values that a blow-up may take to rise */
	BEFORE_LEAST = 64,
};

static const double large_change = 0.05, least_trend = 0.01, wider = 1.3142; /* 2.5758 / 1.9600 */

struct summary {
	struct ts_series series; /* from the first step that counts on */
	struct ts_span subject;
	struct ts_arena *arena;
	struct ts_measures *measures;
	struct ts_events *events;
	double *finite;	 /* the finite values */
	int64_t *keys;	 /* and their steps */
	size_t n, nonfinite;
	double first, last, best;
	int64_t best_step, nonfinite_step;
	bool ends_nonfinite, blew_up;
};

static bool value_row(const struct summary *s, const char *name, enum ts_unit unit, double value, const char *reason)
{
	if (reason)
		return ts_measure_unknown(s->measures, s->arena, GROUP, s->subject, name, unit, reason);
	return ts_measure_add(s->measures, s->arena, GROUP, s->subject, name, unit, value);
}

static bool text_row(const struct summary *s, const char *name, const char *text)
{
	return ts_measure_text(s->measures, s->arena, GROUP, s->subject, name, ts_span_str(text));
}

static bool add_event(const struct summary *s, enum ts_event_kind kind, int64_t from, int64_t to, double value,
		      double expected, double score)
{
	struct ts_event event = {
		.kind = kind,
		.group = ts_span_str(GROUP),
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

static bool scan(struct summary *s)
{
	s->finite = ts_arena_alloc(s->arena, s->series.n * sizeof *s->finite);
	s->keys = ts_arena_alloc(s->arena, s->series.n * sizeof *s->keys);
	if (!s->finite || !s->keys)
		return false;
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
		if (s->n == 0 || v < s->best) {
			s->best = v;
			s->best_step = s->series.keys[i];
		}
		s->last = v;
		s->keys[s->n] = s->series.keys[i];
		s->finite[s->n++] = v;
	}
	return true;
}

static bool extremes(const struct summary *s, const char *reason)
{
	bool ok = ts_measure_add(s->measures, s->arena, GROUP, s->subject, "count", TS_UNIT_NONE, (double)s->series.n) &&
		  value_row(s, "first", TS_UNIT_NONE, s->first, reason) &&
		  value_row(s, "last", TS_UNIT_NONE, s->last, reason) &&
		  value_row(s, "best", TS_UNIT_NONE, s->best, reason) &&
		  value_row(s, "best", TS_UNIT_STEP, (double)s->best_step, reason);

	if (!ok || s->nonfinite == 0)
		return ok;
	return ts_measure_add(s->measures, s->arena, GROUP, s->subject, "nonfinite", TS_UNIT_COUNT,
			      (double)s->nonfinite) &&
	       ts_measure_add(s->measures, s->arena, GROUP, s->subject, "first_nonfinite", TS_UNIT_STEP,
			      (double)s->nonfinite_step);
}

/* Runs of values that are not finite, each an event whose score is its length. */
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

/* The order statistics that hold a median with 95 %: the normal approximation of the binomial, outward. */
static bool level_of(const double *x, size_t n, struct ts_arena *arena, struct level *ret_level)
{
	double *copy = ts_arena_dup(arena, x, n * sizeof *x);
	double reach = (1.959963984540054 * sqrt((double)n) / 2 + 1) / (double)(n - 1);
	double at[] = {50 - 100 * reach, 50, 50 + 100 * reach}, out[3];

	if (!copy)
		return false;
	at[0] = fmax(at[0], 0);
	at[2] = fmin(at[2], 100);
	ts_percentiles(copy, n, at, 3, out);
	*ret_level = (struct level){out[0], out[1], out[2]};
	return true;
}

static bool change(const struct summary *s, const char *reason)
{
	size_t w = s->n / 20 < LEVEL_LEAST ? LEVEL_LEAST : s->n / 20 > LEVEL_MOST ? LEVEL_MOST : s->n / 20;
	struct level initial = {0}, final = {0};
	double by, low, high;
	const char *word = "unknown";

	if (!reason && s->n < (size_t)2 * LEVEL_LEAST)
		reason = "fewer than 10 values are finite";
	if (!reason && (!level_of(s->finite, w, s->arena, &initial) ||
			!level_of(s->finite + (s->n - w), w, s->arena, &final)))
		return false;
	if (!value_row(s, "initial", TS_UNIT_NONE, initial.middle, reason) ||
	    !value_row(s, "final", TS_UNIT_NONE, final.middle, reason))
		return false;
	by = fabs(initial.middle);
	low = (final.low - initial.high) / by;
	high = (final.high - initial.low) / by;
	if (!reason && !(by > 0))
		reason = "the initial level is 0";
	if (!reason && (!isfinite(low) || !isfinite(high)))
		reason = "the levels differ too much to divide";
	if (!reason)
		word = high <= -large_change ? "fell" : low >= large_change ? "rose" : "none";
	return value_row(s, "change", TS_UNIT_RATIO, (final.middle - initial.middle) / by, reason) &&
	       value_row(s, "change_low", TS_UNIT_RATIO, low, reason) &&
	       value_row(s, "change_high", TS_UNIT_RATIO, high, reason) && text_row(s, "progress", word);
}

/* --- blow-up --- */

static double median_of(const struct summary *s, size_t from, size_t to, double *scratch)
{
	static const double half[] = {50};
	double out;

	memcpy(scratch, s->finite + from, (to - from) * sizeof *scratch);
	ts_percentiles(scratch, to - from, half, 1, &out);
	return out;
}

/* The least median of 16 values that follow each other. */
static double lowest_level(const struct summary *s)
{
	double least = HUGE_VAL, scratch[LAST_MOST];

	for (size_t i = 0; i + LAST_MOST <= s->n; i += LAST_MOST)
		least = fmin(least, median_of(s, i, i + LAST_MOST, scratch));
	return least;
}

struct blow_up {
	size_t at;
	double before, last, score;
};

/* Whether the values from b->at on are beyond those before, and by how much. */
static bool beyond_before(const struct summary *s, struct blow_up *b, double *scratch)
{
	static const double quantiles[] = {25, 50, 75, 99};
	size_t after = s->n - b->at, end = b->at - (b->at >= 4 * RAMP ? RAMP : b->at / 4);
	size_t n = after > BEFORE_LEAST ? after : BEFORE_LEAST;
	double q[4], deviation, least = HUGE_VAL;

	n = n < end ? n : end;
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
	size_t w = s->n / 50 < LAST_LEAST ? LAST_LEAST : s->n / 50 > LAST_MOST ? LAST_MOST : s->n / 50;
	size_t least = s->ends_nonfinite ? 1 : LAST_LEAST;
	double scratch[LAST_MOST], *work, middle;

	*ret_found = false;
	if (s->n < (size_t)2 * LAST_MOST)
		return true;
	if (s->ends_nonfinite)
		w = LAST_LEAST;
	ret->last = median_of(s, s->n - w, s->n, scratch);
	middle = lowest_level(s) / 2 + ret->last / 2;
	for (ret->at = s->n; ret->at > 0 && s->finite[ret->at - 1] > middle; ret->at--)
		;
	if (s->n - ret->at < least || ret->at < LAST_MOST)
		return true;
	if (s->n - ret->at < w)
		ret->last = median_of(s, ret->at, s->n, scratch);
	work = ts_arena_alloc(s->arena, s->n * sizeof *work);
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
	       ts_measure_add(s->measures, s->arena, GROUP, s->subject, "blow_up", TS_UNIT_STEP, (double)s->keys[b.at]);
}

/* --- trend --- */

static enum ts_status trend(const struct summary *s, const char *reason, struct ts_error *err)
{
	size_t from = s->n / 2, n = s->n - from;
	struct ts_series half = {s->subject, s->keys + from, s->finite + from, n};
	struct ts_slope slope = {.known = false};
	struct level level = {0};
	double by, length, recent = 0, low = 0, high = 0;
	const char *word = "unknown";

	if (!reason && s->n < TREND_LEAST)
		reason = "fewer than 20 values are finite";
	if (!reason && (ts_slope_fit(&half, TREND_BLOCKS, s->arena, &slope, err) ||
			(!level_of(half.values, n, s->arena, &level) && ts_arena_error(s->arena, err))))
		return err->status;
	if (!reason && (!slope.known || !slope.has_interval))
		reason = "no slope can be said of its second half";
	by = fabs(level.middle);
	if (!reason && !(by > 0)) {
		reason = "the level of its second half is 0";
		word = "plateau";
	}
	if (!reason) {
		length = (double)half.keys[n - 1] - (double)half.keys[0];
		recent = slope.slope * length / by;
		low = slope.low * length / by;
		high = slope.high * length / by;
		word = "plateau";
		if (recent <= -least_trend && recent + wider * (high - recent) < 0)
			word = "improving";
		else if (recent >= least_trend && recent + wider * (low - recent) > 0)
			word = "worsening";
	}
	if (s->blew_up || s->ends_nonfinite)
		word = "diverged";
	return value_row(s, "recent", TS_UNIT_RATIO, recent, reason) && value_row(s, "recent_low", TS_UNIT_RATIO, low, reason) &&
			       value_row(s, "recent_high", TS_UNIT_RATIO, high, reason) && text_row(s, "trend", word) ?
		       TS_OK :
		       ts_arena_error(s->arena, err);
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

static enum ts_status spikes(const struct summary *s, struct ts_error *err)
{
	const char *reason = NULL;
	struct ts_spikes found;

	if (ts_spikes_find(&s->series, TS_SPIKES_CHANCE, s->arena, &found, err))
		return err->status;
	if (!found.decided)
		reason = "fewer than 24 values are finite";
	return value_row(s, "spikes", TS_UNIT_COUNT, (double)found.spikes, reason) &&
			       value_row(s, "dips", TS_UNIT_COUNT, (double)found.dips, reason) &&
			       value_row(s, "shifts", TS_UNIT_COUNT, (double)found.shifts, reason) &&
			       spike_events(s, &found, TS_EVENT_SPIKE) && spike_events(s, &found, TS_EVENT_DIP) &&
			       spike_events(s, &found, TS_EVENT_SHIFT) ?
		       TS_OK :
		       ts_arena_error(s->arena, err);
}

enum ts_status ts_convergence_summary(const struct ts_series *series, int64_t first, struct ts_arena *arena,
				      struct ts_measures *measures, struct ts_events *events, struct ts_plots *plots,
				      struct ts_error *err)
{
	struct ts_span prefix = ts_span_str("scalars."), subject = series->name;
	struct summary s = {.arena = arena, .measures = measures, .events = events};
	const char *reason = NULL;
	size_t cut = 0;

	if (ts_span_starts(subject, prefix))
		subject = ts_span_of(subject.data + prefix.len, subject.len - prefix.len);
	while (cut < series->n && series->keys[cut] < first)
		cut++;
	s.subject = subject;
	s.series = (struct ts_series){subject, series->keys + cut, series->values + cut, series->n - cut};
	if (!scan(&s))
		return ts_arena_error(arena, err);
	if (s.series.n == 0)
		reason = series->n ? "no step after warm-up has it" : "it has no rows";
	else if (s.n == 0)
		reason = "no value is finite";
	if (!extremes(&s, reason) || !nonfinite_runs(&s) || !change(&s, reason) || !blow_up(&s))
		return ts_arena_error(arena, err);
	if (trend(&s, reason, err) || spikes(&s, err))
		return err->status;
	return ts_plot_series(plots, GROUP, subject, "value", TS_UNIT_NONE, &s.series, arena, err);
}
