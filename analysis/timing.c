#include "analysis/timing.h"

#include "analysis/stats.h"

static const char GROUP[] = "timing";

struct ts_timing_phase {
	struct ts_span name; /* without "phases." */
	uint64_t count;
	double sum;
	double median, p95; /* valid if count > 0 */
};

static const char *const canonical[] = {"data", "forward", "backward", "optimizer", "compute", "comm", "other"};

enum { CANONICAL = sizeof canonical / sizeof canonical[0] };

static size_t order_of(struct ts_span name)
{
	size_t i = 0;

	while (i < CANONICAL && !ts_span_is(name, canonical[i]))
		i++;
	return i;
}

int ts_phase_order(struct ts_span a, struct ts_span b)
{
	size_t at_a = order_of(a), at_b = order_of(b);

	if (at_a != at_b)
		return at_a < at_b ? -1 : 1;
	/* The order of UTF-8 bytes is the order of code points. */
	return at_a < CANONICAL ? 0 : ts_span_cmp(a, b);
}

static struct ts_span without_prefix(struct ts_span name)
{
	struct ts_span prefix = ts_span_str("phases.");

	return ts_span_starts(name, prefix) ? ts_span_of(name.data + prefix.len, name.len - prefix.len) : name;
}

static size_t at_or_after(const int64_t *keys, size_t n, int64_t first)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (keys[mid] < first)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

enum ts_status ts_timing_begin(struct ts_timing *t, const int64_t *steps, size_t n, size_t warmup,
			       struct ts_arena *arena, struct ts_error *err)
{
	size_t cut = warmup < n ? warmup : n;
	double *total = ts_arena_array(arena, n - cut, sizeof *total);
	double *carry = ts_arena_array(arena, n - cut, sizeof *carry);

	if (!total || !carry)
		return ts_arena_error(arena, err);
	*t = (struct ts_timing){
		.arena = arena,
		.steps = steps + cut,
		.n = n - cut,
		.first = cut < n ? steps[cut] : INT64_MAX,
		.total = total,
		.carry = carry,
		.warmup_cut = cut,
	};
	return TS_OK;
}

static void total_add(struct ts_timing *t, size_t i, double v)
{
	double sum = t->total[i], next = sum + v;

	t->carry[i] += fabs(sum) >= fabs(v) ? (sum - next) + v : (v - next) + sum;
	t->total[i] = next;
}

/* Steps that the timing was not told of would be lost from the totals: that is a bug of the caller. */
static enum ts_status totals_add(struct ts_timing *t, const int64_t *keys, const double *values, size_t n,
				 struct ts_error *err)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		while (at < t->n && t->steps[at] < keys[i])
			at++;
		if (at == t->n || t->steps[at] != keys[i])
			return ts_error_set(err, TS_INTERNAL, "timing: step %lld of a phase is not among the steps",
					    (long long)keys[i]);
		total_add(t, at, values[i]);
	}
	return TS_OK;
}

static struct ts_timing_phase *phase_next(struct ts_timing *t)
{
	if (t->n_phases == t->cap_phases) {
		size_t cap = t->cap_phases ? t->cap_phases * 2 : 8;
		struct ts_timing_phase *phases = ts_arena_array(t->arena, cap, sizeof *phases);

		if (!phases)
			return NULL;
		if (t->n_phases)
			memcpy(phases, t->phases, t->n_phases * sizeof *phases);
		t->phases = phases;
		t->cap_phases = cap;
	}
	return &t->phases[t->n_phases++];
}

static double *scratch_of(struct ts_timing *t, const double *values, size_t n)
{
	/* One scratch array serves every phase: none has more steps than the union. */
	if (!t->scratch)
		t->scratch = ts_arena_array(t->arena, t->n, sizeof *t->scratch);
	if (t->scratch && n)
		memcpy(t->scratch, values, n * sizeof *values);
	return t->scratch;
}

enum ts_status ts_timing_phase(struct ts_timing *t, const struct ts_series *phase, struct ts_error *err)
{
	static const double q[] = {50.0, 95.0};
	size_t from = at_or_after(phase->keys, phase->n, t->first);
	size_t n = phase->n - from;
	const double *values = phase->values + from;
	struct ts_timing_phase *row;
	enum ts_status status = totals_add(t, phase->keys + from, values, n, err);
	double out[2], *scratch;

	if (status)
		return status;
	row = phase_next(t);
	scratch = scratch_of(t, values, n);
	if (!row || !scratch)
		return ts_arena_error(t->arena, err);
	*row = (struct ts_timing_phase){
		.name = without_prefix(phase->name),
		.count = n,
		.sum = ts_sum(values, n),
	};
	if (n) {
		ts_percentiles(scratch, n, q, 2, out);
		row->median = out[0];
		row->p95 = out[1];
	}
	return TS_OK;
}

/* A row of measures; the first failure (a full arena) is remembered. */
struct rows {
	struct ts_measures *measures;
	struct ts_arena *arena;
	struct ts_span subject;
	bool failed;
};

static void row(struct rows *r, const char *name, enum ts_unit unit, double value)
{
	if (!ts_measure_add(r->measures, r->arena, GROUP, r->subject, name, unit, value))
		r->failed = true;
}

/* The value, or why there is none. */
static void row_if(struct rows *r, const char *name, enum ts_unit unit, double value, const char *reason)
{
	if (!reason)
		row(r, name, unit, value);
	else if (!ts_measure_unknown(r->measures, r->arena, GROUP, r->subject, name, unit, reason))
		r->failed = true;
}

static const char *why_no_steps(const struct ts_timing *t)
{
	if (t->n)
		return NULL;
	return t->warmup_cut ? "no step with a phase is left after warm-up" : "no step has a phase";
}

static void step_rows(struct ts_timing *t, double total, double *times, struct rows *r)
{
	static const double q[] = {50.0, 95.0, 99.0};
	const char *none = why_no_steps(t);
	double mean = 0.0, deviation = 0.0, out[3] = {0.0, 0.0, 0.0};
	const char *no_mean = none, *no_median = none, *no_rate = none;

	if (!none) {
		mean = total / (double)t->n;
		deviation = ts_stddev(times, t->n, mean);
		ts_percentiles(times, t->n, q, 3, out);
		if (mean == 0.0)
			no_mean = "the mean step time is 0";
		if (mean <= 0.0)
			no_rate = "the mean step time is not above 0";
		if (out[0] == 0.0)
			no_median = "the median step time is 0";
	}
	r->subject = ts_span_str("step");
	row(r, "count", TS_UNIT_NONE, (double)t->n);
	row_if(r, "mean", TS_UNIT_SECONDS, mean, none);
	row_if(r, "stddev", TS_UNIT_SECONDS, deviation, none);
	row_if(r, "median", TS_UNIT_SECONDS, out[0], none);
	row_if(r, "p95", TS_UNIT_SECONDS, out[1], none);
	row_if(r, "p99", TS_UNIT_SECONDS, out[2], none);
	row_if(r, "cv", TS_UNIT_RATIO, deviation / mean, no_mean);
	row_if(r, "tail", TS_UNIT_RATIO, out[1] / out[0], no_median);
	row_if(r, "rate", TS_UNIT_PER_SECOND, 1.0 / mean, no_rate);
	row_if(r, "total", TS_UNIT_SECONDS, total, none);
}

static void phase_rows(const struct ts_timing *t, const struct ts_timing_phase *p, double total, struct rows *r)
{
	const char *none = p->count ? NULL : why_no_steps(t);

	if (!p->count && !none)
		none = "no step after warm-up has this phase";
	r->subject = p->name;
	row_if(r, "mean", TS_UNIT_SECONDS, p->sum / (double)t->n, none);
	row_if(r, "median", TS_UNIT_SECONDS, p->median, none);
	row_if(r, "p95", TS_UNIT_SECONDS, p->p95, none);
	row_if(r, "share", TS_UNIT_RATIO, p->sum / total,
	       none ? none : (total <= 0.0 ? "no time is attributed to any phase" : NULL));
	row(r, "count", TS_UNIT_NONE, (double)p->count);
}

/* Time between the first and the last timestamp (each taken at the end of its step), and what of it no phase claims. */
static void wall_rows(const struct ts_timing *t, const struct ts_series *stamps, struct rows *r)
{
	size_t from = stamps ? at_or_after(stamps->keys, stamps->n, t->first) : 0;
	size_t n = stamps ? stamps->n - from : 0;
	const char *none = NULL;
	double wall = 0.0, attributed = 0.0;

	if (!stamps || stamps->n == 0) {
		none = "no column timestamp";
	} else if (n < 2) {
		none = "fewer than two steps have a timestamp";
	} else {
		size_t after = at_or_after(t->steps, t->n, stamps->keys[from] + 1);
		size_t upto = at_or_after(t->steps, t->n, stamps->keys[stamps->n - 1]);

		upto += upto < t->n && t->steps[upto] == stamps->keys[stamps->n - 1];
		wall = stamps->values[stamps->n - 1] - stamps->values[from];
		attributed = upto > after ? ts_sum(t->total + after, upto - after) : 0.0;
		if (!isfinite(wall))
			none = "a timestamp is not finite";
		else if (wall < 0.0)
			none = "the last timestamp lies before the first";
	}
	r->subject = ts_span_str("wall");
	row_if(r, "total", TS_UNIT_SECONDS, wall, none);
	row_if(r, "unattributed", TS_UNIT_SECONDS, wall - attributed, none);
}

enum ts_status ts_timing_finish(struct ts_timing *t, const struct ts_series *timestamps, struct ts_arena *arena,
				struct ts_measures *measures, struct ts_error *err)
{
	struct rows r = {.measures = measures, .arena = arena};
	double *times, total;

	for (size_t i = 0; i < t->n; i++)
		if (isfinite(t->total[i]))
			t->total[i] += t->carry[i];
	times = scratch_of(t, t->total, t->n);
	if (!times)
		return ts_arena_error(t->arena, err);
	total = ts_sum(t->total, t->n);
	step_rows(t, total, times, &r);
	for (size_t i = 0; i < t->n_phases; i++)
		phase_rows(t, &t->phases[i], total, &r);
	wall_rows(t, timestamps, &r);
	return r.failed ? ts_arena_error(arena, err) : TS_OK;
}
