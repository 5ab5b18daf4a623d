#include "analysis/rank/timing.h"

#include "analysis/answer/phase.h"
#include "analysis/answer/row_words.h"
#include "analysis/answer/say.h"
#include "analysis/rank/between.h"
#include "analysis/rank/slowdown.h"
#include "analysis/rank/stamped.h"
#include "analysis/rank/wall.h"
#include "analysis/rank/warmup.h"
#include "analysis/stats/stats.h"
#include "base/bisect.h"
#include "base/door.h"
#include "base/grow.h"

#include <stdio.h>

enum { ACCUMULATED = 64 }; /* records of an optimizer step, at most */

static const double STALL = 3.0; /* in medians */
static const char OVERLAP[] = "phases of the device's clock overlap those of the host's, and add up to more than the wall time";
static const double OFTEN = 0.9; /* of the places of a period */

struct ts_timing_phase {
	struct ts_span name; /* without "phases." */
	uint64_t count;
	double sum;
	double median, p95; /* valid if count > 0 */
};

static size_t order_of(struct ts_span name)
{
	size_t i = 0;

	while (i < TS_RANK_PHASES && !ts_span_is(name, ts_rank_phases[i]))
		i++;
	return i;
}

int ts_phase_order(struct ts_span a, struct ts_span b)
{
	size_t at_a = order_of(a), at_b = order_of(b);

	if (at_a != at_b)
		return at_a < at_b ? -1 : 1;
	/* UTF-8 bytes sort in the order of code points. */
	return at_a < TS_RANK_PHASES ? 0 : ts_span_cmp(a, b);
}

static struct ts_span without_prefix(struct ts_span name)
{
	struct ts_span prefix = ts_span_str("phases.");

	return ts_span_starts(name, prefix) ? ts_span_of(name.data + prefix.len, name.len - prefix.len) : name;
}

static size_t at_or_after(const int64_t *keys, size_t n, int64_t first)
{
	size_t lo = 0;

	TS_BISECT(lo, n, i, keys[i] < first);
	return lo;
}

/* Steps increase, and what is counted of them and of phases is no more than there is. */
static bool timing_holds(const struct ts_timing *t)
{
	for (size_t i = 1; i < t->n; i++)
		if (t->steps[i - 1] >= t->steps[i])
			return false;
	for (size_t i = 1; i < t->n_epochs; i++)
		if (t->epochs[i - 1] >= t->epochs[i])
			return false;
	return t->n_phases <= t->cap_phases && t->periods.n <= TS_PERIODS_MAX && (!t->cut || !t->n || t->first <= t->steps[0]);
}

enum ts_status ts_timing_begin(struct ts_timing *t, const int64_t *steps, size_t n, struct ts_arena *arena,
			       struct ts_error *err)
{
	double *total = ts_arena_array(arena, n, sizeof *total);
	double *carry = ts_arena_array(arena, n, sizeof *carry);

	if (!total || !carry)
		return ts_arena_error(arena, err);
	*t = (struct ts_timing){
		.arena = arena,
		.steps = steps,
		.n = n,
		.first = n ? steps[0] : INT64_MAX,
		.total = total,
		.carry = carry,
		.level_before = (double)NAN,
	};
	return TS_OK;
}

/* Adds with Knuth's sum and its error, which has no branch: phases that are on every step are added at the speed of
 * memory. */
static void total_add(double *restrict total, double *restrict carry, const double *restrict v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double sum = total[i] + v[i];
		double added = sum - total[i];

		carry[i] += (total[i] - (sum - added)) + (v[i] - added);
		total[i] = sum;
	}
}

/* A step that ts_timing_begin was not given would be missing from the totals; that is a bug of the caller. */
enum ts_status ts_timing_total(struct ts_timing *t, const struct ts_series *phase, struct ts_error *err)
{
	size_t at = 0;

	TS_DOOR(timing_holds(t));
	TS_DOOR(ts_series_holds(phase));
	if (phase->n == t->n && t->n &&
	    (phase->keys == t->steps || memcmp(phase->keys, t->steps, t->n * sizeof *t->steps) == 0)) {
		total_add(t->total, t->carry, phase->values, t->n);
		return TS_OK;
	}
	for (size_t i = 0; i < phase->n; i++) {
		while (at < t->n && t->steps[at] < phase->keys[i])
			at++;
		if (at == t->n || t->steps[at] != phase->keys[i])
			return ts_error_set(err, TS_INTERNAL,
					    "timing: a phase has step %" PRId64 ", which the run does not have",
					    phase->keys[i]);
		total_add(t->total + at, t->carry + at, phase->values + i, 1);
	}
	return TS_OK;
}

static double *scratch_of(struct ts_timing *t, const double *values, size_t n)
{
	/* The carries are already in the totals, and no phase has more steps than the union. */
	if (n)
		memcpy(t->carry, values, n * sizeof *values);
	return t->carry;
}

static double median_of(struct ts_timing *t, const double *values, size_t n)
{
	static const double half = 50.0;
	double out = (double)NAN;

	if (n)
		ts_percentiles(scratch_of(t, values, n), n, &half, 1, &out);
	return out;
}

enum ts_status ts_timing_cut(struct ts_timing *t, bool has_warmup, uint64_t warmup, struct ts_error *err)
{
	size_t cut = warmup < t->n ? (size_t)warmup : t->n;
	struct ts_periods_stated stated;
	struct ts_series times;

	TS_DOOR(timing_holds(t));
	for (size_t i = 0; i < t->n; i++)
		if (isfinite(t->total[i]))
			t->total[i] += t->carry[i];
	if (!has_warmup && ts_warmup_find(t->total, t->n, t->arena, &cut, &t->warmup_reason, err))
		return err->status;
	if (!t->warmup_reason)
		t->warmup_method = has_warmup ? "declared" : (cut ? "found" : "none found");
	t->level_before = median_of(t, t->total, cut);
	t->first = cut < t->n ? t->steps[cut] : INT64_MAX;
	t->warmup_cut = cut;
	t->steps += cut;
	t->total += cut;
	t->n -= cut;
	t->cut = true;
	times = ts_timing_steps(t);
	stated = (struct ts_periods_stated){.every = t->accumulation, .epochs = t->epochs, .n_epochs = t->n_epochs};
	return ts_periods_find(&times, &stated, t->arena, &t->periods, err);
}

struct ts_series ts_timing_steps(const struct ts_timing *t)
{
	return (struct ts_series){.name = ts_span_str("step"), .keys = t->steps, .values = t->total, .n = t->n};
}

struct ts_series ts_timing_calm(const struct ts_timing *t)
{
	struct ts_series calm = ts_timing_steps(t);

	TS_DOOR(timing_holds(t));
	calm.values = t->periods.n ? t->periods.calm : calm.values;
	return calm;
}

enum ts_status ts_timing_waits(struct ts_timing *t, const struct ts_series *waits, struct ts_error *err)
{
	size_t at = 0;

	TS_DOOR(timing_holds(t));
	TS_DOOR(ts_series_holds(waits));
	t->waited = ts_arena_array(t->arena, t->n, sizeof *t->waited);
	if (!t->waited)
		return ts_arena_error(t->arena, err);
	for (size_t i = 0; i < waits->n; i++) {
		while (at < t->n && t->steps[at] < waits->keys[i])
			at++;
		if (at < t->n && t->steps[at] == waits->keys[i] && isfinite(waits->values[i]))
			t->waited[at] += waits->values[i];
	}
	return TS_OK;
}

static struct ts_timing_phase *phase_next(struct ts_timing *t)
{
	if (!TS_GROW_IN(t->arena, t->phases, t->cap_phases, t->n_phases + 1, 8))
		return NULL;
	return &t->phases[t->n_phases++];
}

/* Notes for each period what its slow steps take longer in this phase than all other steps do. */
static void add_excess(struct ts_timing *t, struct ts_span name, const int64_t *keys, const double *values, size_t n)
{
	double slow[TS_PERIODS_MAX + 1] = {0};
	size_t at = 0, others = t->n;

	for (size_t i = 0; i < n; i++, at++) {
		while (t->steps[at] != keys[i])
			at++;
		slow[t->periods.period[at]] += values[i];
	}
	for (size_t k = 0; k < t->periods.n; k++)
		others -= t->periods.items[k].slow;
	for (size_t k = 0; k < t->periods.n; k++) {
		double more = slow[k + 1] - slow[0] / (double)(others ? others : 1) * (double)t->periods.items[k].slow;

		if (more > t->excess[k].seconds)
			t->excess[k] = (struct ts_timing_excess){name, more};
	}
}

/* The time between steps that a recorder measured, by step; 0 where it measured none. */
static bool keep_between(struct ts_timing *t, const int64_t *keys, const double *values, size_t n)
{
	t->between = ts_arena_array(t->arena, t->n, sizeof *t->between);
	if (!t->between)
		return false;
	for (size_t i = 0, at = 0; i < t->n; i++) {
		while (at < n && keys[at] < t->steps[i])
			at++;
		t->between[i] = at < n && keys[at] == t->steps[i] && isfinite(values[at]) ? values[at] : 0.0;
	}
	return true;
}

enum ts_status ts_timing_phase(struct ts_timing *t, const struct ts_series *phase, struct ts_error *err)
{
	static const double q[] = {50.0, 95.0};
	size_t from = at_or_after(phase->keys, phase->n, t->first);
	size_t n = phase->n - from;
	const double *values = phase->values + from;
	struct ts_timing_phase *row;
	double out[2];

	TS_DOOR(timing_holds(t));
	TS_DOOR(ts_series_holds(phase));
	if (!t->cut || n > t->n)
		return ts_error_set(err, TS_INTERNAL, "timing: a phase was given before the cut, or was not summed");
	row = phase_next(t);
	if (!row)
		return ts_arena_error(t->arena, err);
	*row = (struct ts_timing_phase){
		.name = without_prefix(phase->name),
		.count = n,
		.sum = ts_sum(values, n),
	};
	if (n) {
		ts_percentiles(scratch_of(t, values, n), n, q, 2, out);
		row->median = out[0];
		row->p95 = out[1];
	}
	if (t->periods.n)
		add_excess(t, row->name, phase->keys + from, values, n);
	if (ts_span_is(row->name, "between") && n && !keep_between(t, phase->keys + from, values, n))
		return ts_arena_error(t->arena, err);
	return TS_OK;
}

/* The rows of the measures; that the arena has no room for one of them, it remembers. */
struct rows {
	struct ts_measures *measures;
	struct ts_arena *arena;
	struct ts_span subject; /* a phase, or none */
};

static void row(struct rows *r, enum ts_measure_name what, double value)
{
	(void)ts_measure_add(r->measures, r->arena, what, r->subject, value);
}

/* Adds the value, or the reason why there is none. */
static void row_if(struct rows *r, enum ts_measure_name what, double value, const char *reason)
{
	if (!reason)
		row(r, what, value);
	else
		(void)ts_measure_unknown(r->measures, r->arena, what, r->subject, reason);
}

static void text_row(struct rows *r, enum ts_measure_name what, struct ts_span text, const char *reason)
{
	if (text.len)
		(void)ts_measure_text(r->measures, r->arena, what, r->subject, text);
	else
		(void)ts_measure_unknown(r->measures, r->arena, what, r->subject, reason);
}

static const char *why_no_steps(const struct ts_timing *t)
{
	if (t->n)
		return NULL;
	return t->warmup_cut ? "no step with a phase is left after warm-up" : "no step has a phase";
}

/* What a step waited for a CPU, as far as the step reaches: of short steps one may have what several waited. */
static double wait_of(const struct ts_timing *t, size_t i)
{
	return t->waited ? fmax(fmin(t->waited[i], t->total[i]), 0.0) : 0.0;
}

static void wait_rows(const struct ts_timing *t, double stalls, double total, const char *none, struct rows *r)
{
	size_t at = 0;

	if (!t->waited || none)
		return;
	for (size_t i = 1; i < t->n; i++)
		at = wait_of(t, i) > wait_of(t, at) ? i : at;
	row(r, TS_M_CPU_WAIT, ts_sum(t->waited, t->n));
	row(r, TS_M_CPU_WAIT_SHARE, ts_sum(t->waited, t->n) / total);
	row(r, TS_M_CPU_WAIT_LONGEST, wait_of(t, at));
	row(r, TS_M_CPU_WAIT_AT, (double)t->steps[at]);
	row(r, TS_M_CPU_WAIT_OF, t->total[at]);
	row(r, TS_M_CPU_WAIT_STALL, stalls / total);
}

static void stall_rows(const struct ts_timing *t, double median, double total, const char *none, struct rows *r)
{
	const double *calm = ts_timing_calm(t).values;
	size_t at = t->n;
	double sum = 0.0, waits = 0.0;

	median = t->periods.n ? t->periods.usual : median;
	for (size_t i = 0; !none && i < t->n; i++) {
		double times, own;

		if (!(calm[i] > STALL * median))
			continue;
		/* A slow step of a period is compared with the others of its period. */
		times = t->total[i] / calm[i];
		own = calm[i] - wait_of(t, i) / times;
		waits += (calm[i] - fmax(own, median)) * times;
		if (!(own > STALL * median))
			continue;
		sum += (own - median) * times;
		if (at == t->n || t->total[i] - wait_of(t, i) > t->total[at] - wait_of(t, at))
			at = i;
	}
	row_if(r, TS_M_STEP_STALL, sum / total, none);
	wait_rows(t, waits, total, none, r);
	if (!none && at < t->n) {
		row(r, TS_M_STEP_STALL_LONGEST, t->total[at]);
		row(r, TS_M_STEP_STALL_AT, (double)t->steps[at]);
	}
}

static void calm_rows(struct ts_timing *t, struct rows *r)
{
	static const double q[] = {50.0, 95.0};
	double mean, out[2];

	if (!t->periods.n)
		return;
	mean = ts_mean(t->periods.calm, t->n);
	ts_percentiles(scratch_of(t, t->periods.calm, t->n), t->n, q, 2, out);
	row_if(r, TS_M_STEP_CALM_CV, ts_stddev(t->periods.calm, t->n, mean) / mean,
	       mean > 0.0 ? NULL : "the mean step time is not above 0");
	row_if(r, TS_M_STEP_CALM_TAIL, out[1] / out[0], out[0] > 0.0 ? NULL : "the median step time is not above 0");
}

static void max_rows(const struct ts_timing *t, struct rows *r)
{
	size_t at = t->n;
	const char *none = why_no_steps(t);

	for (size_t i = 0; i < t->n; i++)
		if (isfinite(t->total[i]) && (at == t->n || t->total[i] > t->total[at]))
			at = i;
	if (!none && at == t->n)
		none = "none of the step times is a number";
	row_if(r, TS_M_STEP_MAX, none ? 0.0 : t->total[at], none);
	row_if(r, TS_M_STEP_MAX_AT, none ? 0.0 : (double)t->steps[at], none);
}

static void step_rows(struct ts_timing *t, double total, struct rows *r)
{
	static const double q[] = {50.0, 95.0, 99.0};
	const char *none = why_no_steps(t);
	double mean = 0.0, deviation = 0.0, out[3] = {0.0, 0.0, 0.0};
	const char *no_mean = none, *no_median = none, *no_rate = none, *no_stall = none;
	double every = ts_usual_distance(t->steps, t->n, t->carry);

	if (!none) {
		mean = total / (double)t->n;
		deviation = ts_stddev(t->total, t->n, mean);
		ts_percentiles(scratch_of(t, t->total, t->n), t->n, q, 3, out);
		if (mean == 0.0)
			no_mean = "the mean step time is 0";
		if (mean <= 0.0)
			no_rate = "the mean step time is not above 0";
		if (out[0] == 0.0)
			no_median = "the median step time is 0";
		if (!(total > 0.0 && isfinite(total)))
			no_stall = "the attributed time is not a number above 0";
	}
	row(r, TS_M_STEP_COUNT, (double)t->n);
	if (every > 1)
		row(r, TS_M_STEP_EVERY, every);
	text_row(r, TS_M_STEP_SOURCE,
		 none ? TS_NO_SUBJECT : ts_span_str(ts_time_source_word(t->stamped ? TS_TIME_BY_STAMPS : TS_TIME_BY_PHASES)), none);
	row_if(r, TS_M_STEP_MEAN, mean, none);
	row_if(r, TS_M_STEP_STDDEV, deviation, none);
	row_if(r, TS_M_STEP_MEDIAN, out[0], none);
	row_if(r, TS_M_STEP_P95, out[1], none);
	row_if(r, TS_M_STEP_P99, out[2], none);
	row_if(r, TS_M_STEP_CV, deviation / mean, no_mean);
	row_if(r, TS_M_STEP_TAIL, out[1] / out[0], no_median);
	row_if(r, TS_M_STEP_RATE, 1.0 / mean, no_rate);
	row_if(r, TS_M_STEP_TOTAL, total, none);
	max_rows(t, r);
	stall_rows(t, out[0], total, no_stall, r);
	calm_rows(t, r);
}

static bool event_of(const struct ts_timing *t, const struct ts_spike *spike, struct ts_arena *arena,
		     struct ts_events *events)
{
	struct ts_event event = {
		.kind = spike->kind,
		.group = ts_answer_group_name(TS_ANSWER_TIMING),
		.subject = ts_span_str("step"),
		.first_step = t->steps[spike->first],
		.last_step = t->steps[spike->last],
		.value = spike->value,
		.expected = spike->expected,
		.score = spike->score,
	};

	return ts_event_add(events, arena, &event);
}

static void slowdown_rows(const struct ts_timing *t, const struct ts_slowdown *s, struct rows *r)
{
	double cost = s->cost / ts_sum(t->total, t->n);

	text_row(r, TS_M_SLOWDOWN_KIND, ts_span_str(ts_slowdown_word(s->kind)), NULL);
	if (s->kind == TS_SLOWDOWN_LEVELS) {
		row(r, TS_M_LEVELS_LOWER, s->before);
		row(r, TS_M_LEVELS_UPPER, s->after);
		row(r, TS_M_LEVELS_UPPER_SHARE, s->upper_share);
		row(r, TS_M_LEVELS_SWITCHES, (double)s->switches);
		row(r, TS_M_LEVELS_COST, cost);
	} else if (s->kind != TS_SLOWDOWN_NONE) {
		row(r, TS_M_SLOWDOWN_FIRST, (double)t->steps[s->first]);
		row(r, TS_M_SLOWDOWN_LAST, (double)t->steps[s->last]);
		row(r, TS_M_SLOWDOWN_BEFORE, s->before);
		row(r, TS_M_SLOWDOWN_AFTER, s->after);
		row(r, TS_M_SLOWDOWN_RISE, s->after / s->before - 1);
		row(r, TS_M_SLOWDOWN_COST, cost);
	}
}

/* How many of the spikes have a step that is tagged so. */
static size_t tagged_spikes(const struct ts_timing *t, const struct ts_timing_tag *tag, const struct ts_spikes *found)
{
	size_t n = 0;

	for (size_t i = 0, at = 0; i < found->n; i++) {
		const struct ts_spike *s = &found->items[i];

		if (s->kind != TS_EVENT_SPIKE)
			continue;
		while (at < tag->n && tag->steps[at] < t->steps[s->first])
			at++;
		n += at < tag->n && tag->steps[at] <= t->steps[s->last];
	}
	return n;
}

/* Returns what the steps that are tagged so take beyond the usual time, that at the first spike, as a share of all. */
static double cost_of_tag(const struct ts_timing *t, const struct ts_timing_tag *tag, const struct ts_spikes *found)
{
	double sum = 0, usual = 0;

	for (size_t i = 0; i < found->n && !(usual > 0); i++)
		usual = found->items[i].kind == TS_EVENT_SPIKE ? found->items[i].expected : 0;
	for (size_t i = 0, at = 0; i < t->n; i++) {
		while (at < tag->n && tag->steps[at] < t->steps[i])
			at++;
		if (at < tag->n && tag->steps[at] == t->steps[i] && isfinite(t->total[i]))
			sum += t->total[i] - usual;
	}
	return sum / ts_sum(t->total, t->n);
}

/* Says of the tag that most spikes have how many they are, if they are more than half, and more than chance. */
static void tag_row(const struct ts_timing *t, const struct ts_spikes *found, struct rows *r)
{
	const struct ts_timing_tag *best = NULL;
	const char *said;
	size_t most = 0;
	double cost;

	for (size_t i = 0; i < t->n_tags; i++) {
		size_t n = tagged_spikes(t, &t->tags[i], found);

		best = n > most ? &t->tags[i] : best;
		most = n > most ? n : most;
	}
	/* Three times as many as chance would put there. */
	if (!best || 2 * most <= found->spikes || 3 * best->n * found->spikes > most * t->n)
		return;
	if (found->spikes == 1)
		said = ts_arena_phrase(r->arena, "the spike is at a step tagged %.*s", TS_SPAN_ARG(best->word));
	else
		said = ts_arena_phrase(r->arena, "%zu of %zu spikes are at steps tagged %.*s, of which there are %zu", most,
				       found->spikes, TS_SPAN_ARG(best->word), best->n);
	cost = cost_of_tag(t, best, found);
	if (cost > 0)
		said = ts_arena_phrase(r->arena, "%s; steps with this tag cost %s of the time", said, ts_say_percent(cost).text);
	text_row(r, TS_M_STEP_TAGGED, ts_span_str(said), "");
}

/* Adds steps far above their neighbours, and changes of the level, as events. A fast step is not an event. */
static enum ts_status unusual_steps(struct ts_timing *t, struct rows *r, struct ts_events *events, struct ts_error *err)
{
	static const enum ts_event_kind kinds[] = {TS_EVENT_SPIKE, TS_EVENT_SHIFT};
	struct ts_series times = ts_timing_calm(t);
	struct ts_slowdown slowdown = ts_slowdown_of_few(times.values, times.n);
	struct ts_spikes found;
	const char *none;

	if (ts_spikes_fit(&times, t->arena, &t->fit, err) || ts_spikes_of(t->fit, TS_SPIKES_CHANCE, &found, err))
		return err->status;
	for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
		size_t from = events->n;

		for (size_t i = 0; i < found.n; i++)
			if (found.items[i].kind == kinds[k] && !event_of(t, &found.items[i], r->arena, events))
				return ts_arena_error(r->arena, err);
		ts_events_trim(events, from);
	}
	none = found.decided ? NULL : "too few step times are numbers to find the usual step time";
	row_if(r, TS_M_STEP_SPIKES, (double)found.spikes, none);
	row_if(r, TS_M_STEP_SHIFTS, (double)found.shifts, none);
	if (!none)
		tag_row(t, &found, r);
	if (none && slowdown.kind != TS_SLOWDOWN_NONE)
		slowdown_rows(t, &slowdown, r);
	else if (none)
		text_row(r, TS_M_SLOWDOWN_KIND, TS_NO_SUBJECT, none);
	else if (ts_slowdown_find(t->fit, &found, t->arena, &slowdown, err))
		return err->status;
	else
		slowdown_rows(t, &slowdown, r);
	return ts_arena_check(r->arena, err);
}

/* Returns whether a phase of that name shows that all of a step is in phases, and not only what waits or is beside training. */
static bool is_of_a_whole(struct ts_span name)
{
	enum ts_rank_phase phase = ts_rank_phase_of(name);
	enum ts_phase_kind kind = ts_phase_kind_of(name);

	return phase == TS_RANK_OTHER ? kind == TS_PHASE_REST || kind == TS_PHASE_WHOLE || kind == TS_PHASE_UNKNOWN
				      : phase != TS_RANK_DATA && phase != TS_RANK_COMM;
}

static const char *why_no_share(const struct ts_timing *t, double total)
{
	bool all = false;

	for (size_t i = 0; i < t->n_phases; i++)
		all |= is_of_a_whole(t->phases[i].name);
	return total <= 0.0 ? "no time is attributed to any phase" : all ? NULL : "the phases of the run are not all of a step";
}

static void phase_rows(const struct ts_timing *t, const struct ts_timing_phase *p, double total, struct rows *r)
{
	const char *none = p->count ? NULL : why_no_steps(t);

	if (!p->count && !none)
		none = "no step after warm-up has this phase";
	r->subject = p->name;
	row_if(r, TS_M_PHASE_MEAN, p->sum / (double)t->n, none);
	row_if(r, TS_M_PHASE_MEDIAN, p->median, none);
	row_if(r, TS_M_PHASE_P95, p->p95, none);
	row_if(r, TS_M_PHASE_SHARE, p->sum / total, none ? none : why_no_share(t, total));
	row(r, TS_M_PHASE_COUNT, (double)p->count);
	row_if(r, TS_M_PHASE_TOTAL, p->sum, none);
}

/* --- periods --- */

static bool is_whole(struct ts_span phase)
{
	return order_of(phase) == TS_RANK_PHASES && ts_phase_kind_of(phase) == TS_PHASE_WHOLE;
}

/* Returns whether the phase that makes the slow records of a period longer may be part of what closes an optimizer step. */
static bool may_close_a_step(const struct ts_timing *t, struct ts_span phase)
{
	static const enum ts_rank_phase closing[] = {TS_RANK_FORWARD, TS_RANK_BACKWARD, TS_RANK_OPTIMIZER, TS_RANK_COMPUTE,
						     TS_RANK_COMM};

	for (size_t i = 0; i < sizeof closing / sizeof closing[0]; i++)
		if (ts_span_is(phase, ts_rank_phases[closing[i]]))
			return true;
	return !phase.len || is_whole(phase) || t->n_phases == 1;
}

/* Returns what a period may be (timing.h). */
static enum ts_period_cause cause_of(const struct ts_timing *t, size_t k)
{
	const struct ts_period *p = &t->periods.items[k];
	struct ts_span phase = t->excess[k].phase;

	if (p->at_epochs)
		return TS_PERIOD_EPOCHS;
	if (p->every == t->accumulation)
		return TS_PERIOD_ACCUMULATION;
	if (p->every == t->loader_workers &&
	    (t->n_phases == 1 || !phase.len || is_whole(phase) || ts_span_is(phase, ts_rank_phases[TS_RANK_DATA])))
		return TS_PERIOD_WORKERS;
	if (p->every <= ACCUMULATED && (double)p->slow >= OFTEN * (double)p->places && may_close_a_step(t, phase) &&
	    p->usual - t->periods.usual < (double)p->every * t->periods.usual)
		return TS_PERIOD_LIKE_ACCUMULATION;
	return TS_PERIOD_OTHER;
}

static void period_rows(const struct ts_timing *t, size_t k, double total, struct rows *r)
{
	const struct ts_period *p = &t->periods.items[k];
	const struct ts_timing_excess *e = &t->excess[k];
	char subject[32];

	(void)snprintf(subject, sizeof subject, "period %zu", k + 1);
	r->subject = ts_arena_span(r->arena, ts_span_str(subject));
	if (!r->subject.data)
		return;
	row(r, TS_M_PERIOD_EVERY, (double)p->every);
	row_if(r, TS_M_PERIOD_AT, (double)p->phase,
	       p->at_epochs ? "it comes at the first steps of epochs"
	       : p->by_step ? NULL
			    : "the records do not follow the step numbers");
	row(r, TS_M_PERIOD_SLOW, (double)p->slow);
	row(r, TS_M_PERIOD_PLACES, (double)p->places);
	row(r, TS_M_PERIOD_USUAL, p->usual);
	row(r, TS_M_PERIOD_OTHERS, t->periods.usual);
	row(r, TS_M_PERIOD_LONGEST, p->longest);
	row_if(r, TS_M_PERIOD_COST, p->lost / total, total > 0.0 ? NULL : "no time is attributed to any phase");
	text_row(r, TS_M_PERIOD_PHASE, e->seconds >= 0.5 * p->lost && !is_whole(e->phase) ? e->phase : TS_NO_SUBJECT,
		 is_whole(e->phase) ? "the parts of a step were not recorded" : "no phase takes half of it");
	text_row(r, TS_M_PERIOD_CAUSE, ts_span_str(ts_period_cause_word(cause_of(t, k))), NULL);
	r->subject = TS_NO_SUBJECT;
}

/* Returns why what is outside of the phases is not known, or NULL. A log may have the times of every tenth step alone: then far more
 * time passed than its rows claim. */
static const char *why_not_beyond(const struct ts_timing *t, const struct ts_wall *w, double *scratch)
{
	double steps;

	if (w->reason)
		return w->reason;
	if (t->stamped && !t->overlapped)
		return "no phase was recorded";
	steps = ts_usual_distance(t->steps, t->n, scratch);
	return steps > 1 && w->total > 0.5 * (1 + steps) * w->attributed ? "the run has the times of every few steps alone" : NULL;
}

static double claimed(const struct ts_timing *t)
{
	double sum = 0.0;

	for (size_t i = 0; i < t->n_phases; i++)
		sum += t->phases[i].sum;
	return sum;
}

static void wall_rows(const struct ts_timing *t, const struct ts_wall *w, double *scratch, struct rows *r)
{
	double unattributed = w->total - (t->overlapped ? claimed(t) : w->attributed);
	const char *none = why_not_beyond(t, w, scratch), *no_share = w->total > 0.0 ? NULL : "no wall time passed";

	r->subject = TS_NO_SUBJECT;
	row_if(r, TS_M_WALL_TOTAL, w->total, w->reason);
	row_if(r, TS_M_WALL_UNATTRIBUTED, unattributed, none);
	row_if(r, TS_M_WALL_UNATTRIBUTED_SHARE, unattributed / w->total, none ? none : t->overlapped ? OVERLAP : no_share);
	row_if(r, TS_M_WALL_GAP, w->gap, w->reason);
	row_if(r, TS_M_WALL_GAPS, (double)w->gaps, w->reason);
	row_if(r, TS_M_WALL_BACKWARDS, (double)w->backwards, w->reason);
	row(r, TS_M_WALL_UNSTAMPED, (double)w->unstamped);
}

/* "100, 200, 300 and 7 more" */
static struct ts_span steps_said(const struct ts_between *b, struct ts_arena *arena)
{
	enum { SHOWN = 5 };
	const char *text = "";

	for (size_t i = 0; i < b->n && i < SHOWN && text; i++)
		text = ts_arena_phrase(arena, "%s%s%" PRId64, text, i == 0 ? "" : ", ", b->steps[i]);
	return ts_span_str(b->n > SHOWN ? ts_arena_phrase(arena, "%s and %zu more", text, b->n - SHOWN) : text);
}

static enum ts_status between_rows(struct ts_timing *t, const struct ts_series *timestamps, const struct ts_wall *w, struct rows *r,
				   struct ts_error *err)
{
	struct ts_between b;

	if (!timestamps || w->reason || t->stamped || ts_usual_distance(t->steps, t->n, t->carry) > 1)
		return TS_OK;
	if (ts_between_find(t->steps, t->total, t->between, t->n, timestamps, t->arena, &b, err))
		return err->status;
	if (!b.known)
		return TS_OK;
	row(r, TS_M_BETWEEN_LONG, (double)b.n);
	if (!b.n)
		return TS_OK;
	row(r, TS_M_BETWEEN_LOST, b.lost);
	row_if(r, TS_M_BETWEEN_SHARE, b.lost / w->total, w->total > 0.0 ? NULL : "no wall time passed");
	row(r, TS_M_BETWEEN_LONGEST, b.longest);
	row(r, TS_M_BETWEEN_AT, (double)b.longest_at);
	text_row(r, TS_M_BETWEEN_STEPS, steps_said(&b, r->arena), NULL);
	if (b.every)
		row(r, TS_M_BETWEEN_EVERY, (double)b.every);
	return TS_OK;
}

static void warmup_rows(struct ts_timing *t, struct rows *r)
{
	row(r, TS_M_WARMUP_CUT, (double)t->warmup_cut);
	text_row(r, TS_M_WARMUP_METHOD, t->warmup_method ? ts_span_str(t->warmup_method) : TS_NO_SUBJECT, t->warmup_reason);
	if (t->warmup_cut)
		row(r, TS_M_WARMUP_BEFORE, t->level_before);
	row_if(r, TS_M_WARMUP_AFTER, median_of(t, t->total, t->n), why_no_steps(t));
}

/* Gives scratch for n values; mostly there are as many as steps, whose carries are no longer needed. */
static double *room_for(struct ts_timing *t, size_t n)
{
	if (n <= t->n + t->warmup_cut)
		return t->carry;
	return n <= SIZE_MAX / sizeof *t->carry ? ts_arena_alloc(t->arena, n * sizeof *t->carry) : NULL;
}

enum ts_status ts_timing_finish(struct ts_timing *t, const struct ts_series *timestamps, struct ts_arena *arena,
				struct ts_measures *measures, struct ts_events *events, struct ts_plots *plots,
				struct ts_error *err)
{
	struct rows r = {.measures = measures, .arena = arena};
	struct ts_series times = ts_timing_steps(t);
	struct ts_wall wall;
	double *scratch;
	double total;

	TS_DOOR(timing_holds(t));
	TS_DOOR(!plots || ts_plots_hold(plots));
	TS_DOOR(!events || ts_events_hold(events));
	TS_DOOR(ts_measures_hold(measures));
	TS_DOOR(!timestamps || ts_series_holds(timestamps));
	if (!t->cut)
		return ts_error_set(err, TS_INTERNAL, "timing: finished before the cut");
	scratch = room_for(t, timestamps ? timestamps->n : 0);
	if (!scratch)
		return ts_arena_error(t->arena, err);
	/* Times that are differences of timestamps are no phases: they attribute nothing, and the first begins before its step. */
	ts_wall_measure(t->steps, t->total, t->stamped ? 0 : t->n, timestamps,
			t->stamped && !t->warmup_cut ? INT64_MIN : t->first, scratch, &wall);
	total = ts_sum(t->total, t->n);
	step_rows(t, total, &r);
	if (events && unusual_steps(t, &r, events, err))
		return err->status;
	for (size_t i = 0; i < t->periods.n; i++)
		period_rows(t, i, total, &r);
	for (size_t i = 0; i < t->n_phases; i++)
		phase_rows(t, &t->phases[i], t->overlapped ? claimed(t) : total, &r);
	wall_rows(t, &wall, scratch, &r);
	if (between_rows(t, timestamps, &wall, &r, err))
		return err->status;
	warmup_rows(t, &r);
	if (ts_arena_check(arena, err))
		return err->status;
	if (plots && ts_plot_series(plots, TS_ANSWER_TIMING, times.name, "value", TS_UNIT_SECONDS, &times, arena, err))
		return err->status;
	return TS_OK;
}
