#include "analysis/gate/reduction.h"

#include "analysis/answer/row_words.h"
#include "analysis/gate/reduction_internal.h"
#include "analysis/rank/stamped.h"
#include "analysis/rank/wall.h"
#include "analysis/rank/warmup.h"
#include "analysis/stats/stats.h"

#include <stdlib.h>

enum {
	CUT_ONE_IN = 36,  /* one record in so many has its excess cut */
	FLOOR_LEAST = 10, /* records of a batch of which a tenth are counted */
};

/* Seconds: a time above this is a damaged number. */
#define TIME_MAX 1e9

enum ts_status ts_reducer_begin(struct ts_reducer *r, const struct ts_reduce_options *options, const struct ts_work *work,
				struct ts_arena *arena, struct ts_error *err)
{
	(void)err;
	*r = (struct ts_reducer){.options = options, .work = work, .arena = arena};
	return TS_OK;
}

/* --- records --- */

/* The records that the rows give, one for each row that has a time. */
struct records {
	size_t *row;	/* the index of its row */
	double *wall;	/* s */
	double *span;	/* the number of steps that it covers */
	bool *excluded;
	bool *first; /* the record is the first of its segment */
	size_t n;
};

static bool is_time(double seconds)
{
	return seconds >= 0 && seconds <= TIME_MAX;
}

static int64_t floor_div(int64_t a, uint64_t b)
{
	int64_t n = b > INT64_MAX ? INT64_MAX : (int64_t)b, q = a / n;

	return a % n < 0 ? q - 1 : q;
}

/* Asks whether one of the steps after `from`, up to `to`, has a number that some `every` divides. */
static bool every_excludes(const struct ts_reduce_options *options, int64_t from, int64_t to)
{
	for (size_t i = 0; i < options->n_excludes; i++) {
		const struct ts_exclude *e = &options->excludes[i];

		if (e->kind == TS_EXCLUDE_EVERY && e->every && floor_div(from, e->every) != floor_div(to, e->every))
			return true;
	}
	return false;
}

static bool row_excluded(const struct ts_reduce_rows *rows, size_t i)
{
	bool starts = i == 0 || (rows->starts && rows->starts[i]);

	if ((rows->tagged && rows->tagged[i]) || (rows->phased && rows->phased[i]))
		return true;
	return !starts && rows->phased && rows->phased[i - 1];
}

static void add_record(struct records *to, size_t row, double wall, double span, bool excluded, bool first)
{
	to->row[to->n] = row;
	to->wall[to->n] = wall;
	to->span[to->n] = span;
	to->excluded[to->n] = excluded;
	to->first[to->n++] = first;
}

/* Makes a record from each known end to the next in the same segment. */
static void records_of_ends(const struct ts_reducer *r, const struct ts_reduce_rows *rows, double usual, struct records *to)
{
	bool some = false, excluded = false, first = true;
	size_t before = 0;

	for (size_t i = 0; i < rows->n; i++) {
		if (i == 0 || (rows->starts && rows->starts[i])) {
			some = excluded = false;
			first = true;
		}
		excluded |= row_excluded(rows, i);
		if (!ts_stamp_known(rows->ends[i]) || (some && ts_stamp_stays(rows->ends, rows->n, i)))
			continue;
		if (some) {
			double wall = rows->ends[i] - rows->ends[before], span = ts_key_distance(rows->steps[before], rows->steps[i]);

			if (is_time(wall) && span <= TS_STAMPED_FAR * usual) {
				add_record(to, i, wall, span,
					   excluded || every_excludes(r->options, rows->steps[before], rows->steps[i]), first);
				first = false;
			}
		}
		some = true;
		excluded = false;
		before = i;
	}
}

static void records_of_times(const struct ts_reducer *r, const struct ts_reduce_rows *rows, struct records *to)
{
	bool first = true;

	for (size_t i = 0; rows->times && i < rows->n; i++) {
		int64_t step = rows->steps[i];

		first |= i == 0 || (rows->starts && rows->starts[i]);
		if (!is_time(rows->times[i]))
			continue;
		add_record(to, i, rows->times[i], 1,
			   row_excluded(rows, i) || every_excludes(r->options, step > INT64_MIN ? step - 1 : step, step), first);
		first = false;
	}
}

static enum ts_status read_records(struct ts_reducer *r, const struct ts_reduce_rows *rows, struct ts_arena *work, struct records *ret,
				   struct ts_error *err)
{
	struct records out = {
		.row = ts_arena_array(work, rows->n, sizeof *out.row),
		.wall = ts_arena_array(work, rows->n, sizeof *out.wall),
		.span = ts_arena_array(work, rows->n, sizeof *out.span),
		.excluded = ts_arena_array(work, rows->n, sizeof *out.excluded),
		.first = ts_arena_array(work, rows->n, sizeof *out.first),
	};

	if (!out.row || !out.wall || !out.span || !out.excluded || !out.first)
		return ts_arena_error(work, err);
	r->stamped = rows->ends != NULL;
	for (size_t i = 0; rows->ends && i < rows->n && !r->coarse; i++)
		r->coarse = ts_stamp_stays(rows->ends, rows->n, i);
	if (rows->ends)
		records_of_ends(r, rows, ts_usual_distance(rows->steps, rows->n, out.wall), &out);
	else
		records_of_times(r, rows, &out);
	*ret = out;
	return TS_OK;
}

/* The time between the first known end and the last; where the clock was set back it stood still. Without ends, the sum of
 * the times. 0: there is no such time. */
static double elapsed(const struct ts_reduce_rows *rows)
{
	double before = (double)NAN;
	struct ts_tally all = {0, 0};

	for (size_t i = 0; i < rows->n; i++) {
		if (!rows->ends) {
			if (rows->times && is_time(rows->times[i]))
				ts_tally_add(&all, rows->times[i]);
		} else if (ts_stamp_known(rows->ends[i])) {
			if (rows->ends[i] > before)
				ts_tally_add(&all, rows->ends[i] - before);
			before = rows->ends[i];
		}
	}
	return ts_tally_value(&all);
}

/* --- warm-up --- */

/* Finds the first record of [from, to), which is one segment, after the warm-up, by the times without records that
 * are left out anyway. */
static enum ts_status find_warmup(const struct records *in, size_t from, size_t to, struct ts_arena *work, size_t *ret_first,
				  struct ts_error *err)
{
	double *times = ts_arena_array(work, to - from, sizeof *times);
	const char *ignored;
	size_t n = 0, cut = 0;

	if (!times)
		return ts_arena_error(work, err);
	for (size_t i = from; i < to; i++)
		if (!in->excluded[i])
			times[n++] = in->wall[i] / in->span[i];
	if (ts_warmup_find(times, n, work, &cut, &ignored, err))
		return err->status;
	for (; cut; from++)
		cut -= !in->excluded[from];
	*ret_first = from;
	return TS_OK;
}

/* Returns the row with which the segment of a record began. */
static size_t segment_row(const struct ts_reduce_rows *rows, size_t row)
{
	while (row > 0 && !(rows->starts && rows->starts[row]))
		row--;
	return row;
}

static enum ts_status warmup_of(const struct ts_reducer *r, const struct ts_reduce_rows *rows, const struct records *in, size_t from,
				size_t to, size_t *ret_first, struct ts_error *err)
{
	struct ts_arena work;
	enum ts_status status;
	size_t began, first = from;

	if (!r->options->has_warmup) {
		ts_arena_init(&work, r->arena->ceiling);
		status = find_warmup(in, from, to, &work, ret_first, err);
		ts_arena_finish(&work);
		return status;
	}
	began = segment_row(rows, in->row[from]);
	while (first < to && in->row[first] - began < r->options->warmup)
		first++;
	*ret_first = first;
	return TS_OK;
}

/* --- what counts --- */

static enum ts_status make_room(struct ts_reducer *r, const struct ts_reduce_rows *rows, size_t n, struct ts_error *err)
{
	r->steps = ts_arena_array(r->arena, n, sizeof *r->steps);
	r->wall = ts_arena_array(r->arena, n, sizeof *r->wall);
	r->span = ts_arena_array(r->arena, n, sizeof *r->span);
	r->tokens = rows->tokens ? ts_arena_array(r->arena, n, sizeof *r->tokens) : NULL;
	r->samples = rows->samples ? ts_arena_array(r->arena, n, sizeof *r->samples) : NULL;
	r->cpu = rows->cpu ? ts_arena_array(r->arena, n, sizeof *r->cpu) : NULL;
	if (!r->steps || !r->wall || !r->span || (rows->tokens && !r->tokens) || (rows->samples && !r->samples) ||
	    (rows->cpu && !r->cpu))
		return ts_arena_error(r->arena, err);
	return TS_OK;
}

static void take_record(struct ts_reducer *r, const struct ts_reduce_rows *rows, const struct records *in, size_t i)
{
	size_t row = in->row[i], at = r->n_steps++;

	r->steps[at] = rows->steps[row];
	r->wall[at] = in->wall[i];
	r->span[at] = in->span[i];
	if (r->tokens)
		r->tokens[at] = rows->tokens[row];
	if (r->samples)
		r->samples[at] = rows->samples[row];
	if (r->cpu)
		r->cpu[at] = rows->cpu[row];
}

static enum ts_status sift(struct ts_reducer *r, const struct ts_reduce_rows *rows, const struct records *in, struct ts_error *err)
{
	size_t left = 0;

	for (size_t i = 0; i < in->n; i++)
		left += !in->excluded[i];
	if (make_room(r, rows, left, err))
		return err->status;
	r->records = in->n;
	for (size_t from = 0, to; from < in->n; from = to) {
		size_t first = from;

		for (to = from + 1; to < in->n && !in->first[to];)
			to++;
		if (warmup_of(r, rows, in, from, to, &first, err))
			return err->status;
		r->warmup += first - from;
		for (size_t i = first; i < to; i++) {
			if (in->excluded[i])
				r->excluded++;
			else
				take_record(r, rows, in, i);
		}
	}
	return TS_OK;
}

enum ts_status ts_reducer_rows(struct ts_reducer *r, const struct ts_reduce_rows *rows, struct ts_error *err)
{
	struct ts_arena work;
	struct records records = {.n = 0};
	enum ts_status status;

	ts_arena_init(&work, r->arena->ceiling);
	r->wall_time = elapsed(rows);
	status = read_records(r, rows, &work, &records, err);
	if (!status)
		status = sift(r, rows, &records, err);
	ts_arena_finish(&work);
	return status;
}

/* --- windows --- */

struct windows {
	const struct ts_reducer *r;
	struct ts_arena *work;
	size_t period;	 /* 0: there is no period */
	size_t length;	 /* records in a window */
	double *each;	 /* seconds for each step, of each record */
	double *calm;	 /* the same values without spikes */
	uint64_t *place; /* the position of each record in the period, from 0 */
	double *scratch;
	double *piece; /* room for the calm times of a piece */
};

static void places_of(const struct ts_reducer *r, uint64_t *place)
{
	double all = r->n_steps ? ts_key_distance(r->steps[0], r->steps[r->n_steps - 1]) : 0, usual;
	size_t n = r->n_steps;

	/* Positions follow step numbers, so that a step that was left out keeps its place; they follow the count
	 * where the numbers are not those of steps. */
	usual = n ? r->span[n / 2] : 1;
	for (size_t i = 0; i < n; i++) {
		double at = ts_key_distance(r->steps[0], r->steps[i]) / usual;

		place[i] = all / usual <= 4.0 * (double)n + TS_STAMPED_FAR ? (uint64_t)(at + 0.5) : i;
	}
}

static enum ts_status begin_windows(struct windows *w, const struct ts_reducer *r, struct ts_arena *work, struct ts_error *err)
{
	size_t n = r->n_steps;

	*w = (struct windows){
		.r = r,
		.work = work,
		.each = ts_arena_array(work, n, sizeof *w->each),
		.calm = ts_arena_array(work, n, sizeof *w->calm),
		.place = ts_arena_array(work, n, sizeof *w->place),
		.scratch = ts_arena_array(work, n, sizeof *w->scratch),
		.piece = ts_arena_array(work, n, sizeof *w->piece),
	};
	if (!w->each || !w->calm || !w->place || !w->scratch || !w->piece)
		return ts_arena_error(work, err);
	for (size_t i = 0; i < n; i++)
		w->each[i] = r->wall[i] / r->span[i];
	places_of(r, w->place);
	return TS_OK;
}

static enum ts_status choose_period(struct windows *w, struct ts_error *err)
{
	const struct ts_work_number *said = &w->r->work->accumulation;
	size_t n = w->r->n_steps;

	if (!said->known)
		return ts_reduce_period(w->each, w->place, n, w->work, &w->period, err);
	if (said->value >= 2 && said->value == floor(said->value) && said->value <= (double)n)
		w->period = (size_t)said->value;
	return TS_OK;
}

/* The length is a multiple of the period, if there are at least so many records. */
static void choose_length(struct windows *w)
{
	size_t period = w->period ? w->period : 1, n = w->r->n_steps;

	w->length = (TS_REDUCE_WINDOW + period - 1) / period * period;
	if (w->length > n)
		w->length = n / period ? n / period * period : n;
}

/* Writes the usual time at the place of each record to w->calm. */
static enum ts_status usual_times(struct windows *w, struct ts_error *err)
{
	size_t n = w->r->n_steps, period = w->period && n / w->period >= 3 ? w->period : 1;
	size_t *ends = ts_arena_array(w->work, period + 1, sizeof *ends);
	double *medians = ts_arena_array(w->work, period, sizeof *medians);

	if (!ends || !medians)
		return ts_arena_error(w->work, err);
	for (size_t i = 0; i < n; i++)
		ends[w->place[i] % period + 1]++;
	for (size_t p = 0; p < period; p++)
		ends[p + 1] += ends[p];
	for (size_t i = n; i-- > 0;)
		w->scratch[--ends[w->place[i] % period + 1]] = w->each[i];
	/* Here ends[p + 1] is where place p begins. */
	for (size_t p = 0; p < period; p++) {
		size_t from = ends[p + 1], to = p + 2 <= period ? ends[p + 2] : n;

		medians[p] = to > from ? ts_median(w->scratch + from, to - from, w->scratch + from) : 0;
	}
	for (size_t i = 0; i < n; i++)
		w->calm[i] = medians[w->place[i] % period];
	return TS_OK;
}

/* Cuts the largest excesses over the usual time down to the next largest. */
static void cut_spikes(struct windows *w)
{
	size_t n = w->r->n_steps, cut = n / CUT_ONE_IN, fewer = n / TS_REDUCE_WINDOW;
	double most = HUGE_VAL;

	if (fewer <= cut)
		cut = fewer ? fewer - 1 : 0;
	for (size_t i = 0; i < n; i++)
		w->scratch[i] = w->each[i] - w->calm[i];
	if (cut) {
		double q = 100.0 * (double)(n - 1 - cut) / (double)(n - 1);

		ts_percentiles(w->scratch, n, &q, 1, &most);
	}
	for (size_t i = 0; i < n; i++) {
		double excess = w->each[i] - w->calm[i];

		w->calm[i] = excess > most ? w->calm[i] + most : w->each[i];
	}
}

/* Computes sum(top * span) / sum(bottom * span) of each window in w->scratch; NULL counts as ones. Returns the
 * number of windows. */
static size_t ratios(struct windows *w, const double *top, const double *bottom)
{
	const double *span = w->r->span;
	size_t n = w->r->n_steps, windows = n - w->length + 1;
	struct ts_tally a = {0, 0}, b = {0, 0};

	for (size_t i = 0; i < n; i++) {
		ts_tally_add(&a, top ? top[i] * span[i] : span[i]);
		ts_tally_add(&b, bottom ? bottom[i] * span[i] : span[i]);
		if (i >= w->length) {
			size_t gone = i - w->length;

			ts_tally_add(&a, -(top ? top[gone] * span[gone] : span[gone]));
			ts_tally_add(&b, -(bottom ? bottom[gone] * span[gone] : span[gone]));
		}
		if (i + 1 >= w->length)
			w->scratch[i + 1 - w->length] = ts_tally_value(&a) / ts_tally_value(&b);
	}
	return windows;
}

static double median_ratio(struct windows *w, const double *top, const double *bottom)
{
	size_t windows = ratios(w, top, bottom);

	return ts_median(w->scratch, windows, w->scratch);
}

/* --- errors --- */

/* Where a batch begins: whole periods, as even as they can be. */
static size_t batch_from(const struct windows *w, size_t k)
{
	size_t period = w->period ? w->period : 1;

	return w->r->n_steps / period * k / TS_BATCHES * period;
}

static bool batches_hold(const struct windows *w)
{
	return w->r->n_steps >= TS_BATCHES * (w->period ? w->period : 1);
}

/* The error of a statistic of the batches, relative to their mean. */
static double relative_error(const double *batches)
{
	return ts_batch_error(batches) / fabs(ts_mean(batches, TS_BATCHES));
}

/* Computes sum(top * span) / sum(bottom * span) of each batch; NULL counts as ones. */
static bool batch_ratios(const struct windows *w, const double *top, const double *bottom, double batches[TS_BATCHES])
{
	const double *span = w->r->span;

	if (!batches_hold(w))
		return false;
	for (size_t k = 0; k < TS_BATCHES; k++) {
		struct ts_tally a = {0, 0}, b = {0, 0};

		for (size_t i = batch_from(w, k); i < batch_from(w, k + 1); i++) {
			ts_tally_add(&a, top ? top[i] * span[i] : span[i]);
			ts_tally_add(&b, bottom ? bottom[i] * span[i] : span[i]);
		}
		batches[k] = ts_tally_value(&a) / ts_tally_value(&b);
	}
	return true;
}

/* Of the ratio over all records. */
static double ratio_error(const struct windows *w, const double *top, const double *bottom)
{
	double batches[TS_BATCHES];

	return batch_ratios(w, top, bottom, batches) ? relative_error(batches) : (double)NAN;
}

/* Of the median ratio of windows, which a few disturbed windows leave as it is. */
static double median_error(const struct windows *w, const double *top, const double *bottom)
{
	double batches[TS_BATCHES];

	if (!batch_ratios(w, top, bottom, batches))
		return (double)NAN;
	return ts_batch_error_of_median(batches) / fabs(ts_mean(batches, TS_BATCHES));
}

static void set_error(struct ts_reduced *io, double relative)
{
	io->has_error = io->known && isfinite(relative);
	io->error = io->has_error ? relative * fabs(io->value) : 0;
}

/* --- metrics --- */

static void known(struct ts_reduction *out, enum ts_metric metric, double value)
{
	out->metrics[metric] = (struct ts_reduced){.known = true, .value = value};
}

static void unknown(struct ts_reduction *out, enum ts_metric metric, struct ts_span reason)
{
	out->metrics[metric] = (struct ts_reduced){.reason = reason};
}

/* A metric that is compared by ratio must be positive, because its logarithm is taken. */
static void positive(struct ts_reduction *out, enum ts_metric metric, double value, const char *reason)
{
	if (isfinite(value) && value > 0)
		known(out, metric, value);
	else
		unknown(out, metric, ts_span_str(reason));
}

static double stall_share(const struct windows *w, double median, double all)
{
	struct ts_tally lost = {0, 0};

	for (size_t i = 0; i < w->r->n_steps; i++)
		if (w->each[i] > 3 * median)
			ts_tally_add(&lost, (w->each[i] - median) * w->r->span[i]);
	return ts_tally_value(&lost) / all;
}

/* The times of windows come in the order of the steps once, and selection then reorders them. */
static enum ts_status window_metrics(struct windows *w, struct ts_reduction *out, const char *zero, struct ts_error *err)
{
	static const double which[] = {10.0, 50.0};
	size_t windows = ratios(w, w->calm, NULL), last = (windows + 3) / 4;
	double *end = ts_arena_dup(w->work, w->scratch + windows - last, last * sizeof *end), at[2];

	if (!end)
		return ts_arena_error(w->work, err);
	ts_percentiles(w->scratch, windows, which, 2, at);
	positive(out, TS_METRIC_STEP_TIME, at[1] * out->accumulation, zero);
	positive(out, TS_METRIC_STEP_TIME_P10, at[0] * out->accumulation, zero);
	positive(out, TS_METRIC_STEP_TIME_END, ts_median(end, last, end) * out->accumulation, zero);
	set_error(&out->metrics[TS_METRIC_STEP_TIME], median_error(w, w->calm, NULL));
	return TS_OK;
}

/* The 10th percentile of single records, or of whole periods. Its error is half the distance of the percentiles that it may be as well
 * (Woodruff 1952): the share of values up to it differs between batches by more than chance where two clocks alternate, and what lies
 * near it says how much that moves it. */
static void floor_metric(struct windows *w, struct ts_reduction *out, const char *zero)
{
	static const double ten = 10.0;
	struct windows one = *w;
	double share[TS_BATCHES], value, off, which[2], at[2] = {(double)NAN, (double)NAN};
	size_t n;

	one.length = w->period ? w->period : 1;
	n = ratios(&one, w->each, NULL);
	memcpy(w->piece, w->scratch, n * sizeof *w->piece);
	ts_percentiles(w->piece, n, &ten, 1, &value);
	for (size_t k = 0; k < TS_BATCHES; k++) {
		size_t from = n * k / TS_BATCHES, to = n * (k + 1) / TS_BATCHES, up_to = 0;

		for (size_t i = from; i < to; i++)
			up_to += w->scratch[i] <= value;
		share[k] = to - from >= FLOOR_LEAST ? (double)up_to / (double)(to - from) : (double)NAN;
	}
	off = 100 * ts_batch_error(share);
	which[0] = fmax(ten - off, 0);
	which[1] = fmin(ten + off, 100);
	if (isfinite(off))
		ts_percentiles(w->scratch, n, which, 2, at);
	positive(out, TS_METRIC_STEP_TIME_FLOOR, value * out->accumulation, zero);
	set_error(&out->metrics[TS_METRIC_STEP_TIME_FLOOR], (at[1] - at[0]) / 2 / fabs(value));
}

static void cpu_metric(struct windows *w, struct ts_reduction *out)
{
	const double *cpu = w->r->cpu;

	if (!cpu) {
		unknown(out, TS_METRIC_CPU_TIME, ts_span_str("the run has no column cpu_time"));
		return;
	}
	positive(out, TS_METRIC_CPU_TIME, median_ratio(w, cpu, NULL) * out->accumulation, "the column holds no number above 0");
	set_error(&out->metrics[TS_METRIC_CPU_TIME], median_error(w, cpu, NULL));
}

static enum ts_status time_metrics(struct windows *w, struct ts_reduction *out, struct ts_error *err)
{
	static const double ninety_five = 95.0;
	static const char zero[] = "the steps took no time";
	const struct ts_reducer *r = w->r;
	double wall = ts_sum(r->wall, r->n_steps), steps = ts_sum(r->span, r->n_steps), p95, median;

	if (window_metrics(w, out, zero, err))
		return err->status;
	floor_metric(w, out, zero);
	cpu_metric(w, out);
	positive(out, TS_METRIC_STEP_TIME_MEAN, wall / steps * out->accumulation, zero);
	set_error(&out->metrics[TS_METRIC_STEP_TIME_MEAN], ratio_error(w, w->each, NULL));
	median = ts_median(w->each, r->n_steps, w->scratch);
	memcpy(w->scratch, w->each, r->n_steps * sizeof *w->each);
	ts_percentiles(w->scratch, r->n_steps, &ninety_five, 1, &p95);
	positive(out, TS_METRIC_STEP_TIME_P95, p95, zero);
	if (wall > 0)
		known(out, TS_METRIC_STALL_SHARE, stall_share(w, median, wall));
	else
		unknown(out, TS_METRIC_STALL_SHARE, ts_span_str(zero));
	return TS_OK;
}

/* Reduces a piece of the run like a run of its own. w->calm has the usual times still. */
static void piece_of(void *ctx, size_t from, size_t n, double *ret_time, double *ret_mean)
{
	const struct windows *w = ctx;
	struct ts_reducer r = *w->r;
	struct windows piece = *w;

	r.n_steps = n;
	r.wall += from;
	r.span += from;
	piece.r = &r;
	piece.each += from;
	piece.calm = w->piece;
	memcpy(piece.calm, w->calm + from, n * sizeof *piece.calm);
	choose_length(&piece);
	cut_spikes(&piece);
	*ret_time = median_ratio(&piece, piece.calm, NULL);
	*ret_mean = ts_sum(r.wall, n) / ts_sum(r.span, n);
}

/* Computes the rates of the job and of a device: from columns that count, otherwise from what the facts say of a
 * step. */
static void rate_metrics(struct windows *w, const double *column, const struct ts_work_number *each, const char *none,
			 enum ts_metric metric, double devices, struct ts_reduction *out)
{
	const struct ts_reduced *step = &out->metrics[TS_METRIC_STEP_TIME];
	double rate = (double)NAN, error = (double)NAN;

	if (column) {
		rate = median_ratio(w, column, w->calm);
		error = median_error(w, column, w->calm);
	} else if (each->known && step->known) {
		rate = each->value * out->accumulation / step->value;
		error = step->has_error ? step->error / step->value : (double)NAN;
	} else {
		none = each->known ? "the steps took no time" : each->said ? each->reason : none;
	}
	none = column ? "the column holds no number above 0" : none;
	positive(out, metric, rate, none);
	positive(out, metric + 1, rate / devices, none);
	set_error(&out->metrics[metric], error);
	set_error(&out->metrics[metric + 1], error);
}

static enum ts_status mfu_metric(const struct ts_reducer *r, struct ts_reduction *out, struct ts_error *err)
{
	const struct ts_reduced *step = &out->metrics[TS_METRIC_STEP_TIME];
	struct ts_span convention = r->work->convention.text;
	struct ts_mfu_terms terms;
	char *basis;

	if (ts_mfu_terms(r->work, r->arena, &terms, err))
		return err->status;
	if (terms.reason || !step->known) {
		unknown(out, TS_METRIC_MFU, terms.reason ? ts_span_str(terms.reason) : step->reason);
		return TS_OK;
	}
	positive(out, TS_METRIC_MFU, terms.flops * out->accumulation / (step->value * terms.peak),
		 "the FLOPs or the peak are out of range");
	set_error(&out->metrics[TS_METRIC_MFU], step->has_error ? step->error / step->value : (double)NAN);
	basis = ts_arena_printf(r->arena, "%.6g TFLOP/s (%s), %s%.*s", terms.peak / 1e12, terms.peak_source,
				convention.len ? "" : "convention not said",
				TS_SPAN_ARG(convention));
	if (!basis)
		return ts_arena_error(r->arena, err);
	out->mfu_basis = ts_span_str(basis);
	return TS_OK;
}

/* Returns why the records are too few; NULL means that they are enough, or that there is no memory. */
static char *too_few(const struct ts_reducer *r, const struct ts_reduce_ends *ends)
{
	if (ends->no_time)
		return ts_arena_printf(r->arena, "%s", ends->no_time);
	if (r->records == 0)
		return ts_arena_printf(r->arena, "%s",
				       r->coarse ? "three steps or more have one same timestamp, which is too coarse for their time"
						 : "no step of the run has a known time");
	return ts_arena_printf(r->arena,
			       "only %zu of %" PRIu64 " records are left after warm-up (%" PRIu64 ") and exclusions (%" PRIu64
			       "), and at least %d are needed",
			       r->n_steps, r->records, r->warmup, r->excluded, TS_REDUCE_LEAST);
}

static void all_unknown(struct ts_reduction *out, struct ts_span reason)
{
	for (int i = 0; i < TS_METRICS; i++)
		if (i != TS_METRIC_PEAK_MEMORY && i != TS_METRIC_LOSS)
			unknown(out, (enum ts_metric)i, reason);
}

static enum ts_status measure(struct ts_reducer *r, const struct ts_reduce_ends *ends, struct ts_arena *work, struct ts_reduction *out,
			      struct ts_error *err)
{
	double devices = r->work->world_size.known ? r->work->world_size.value : ends->devices ? ends->devices : 1;
	struct windows w;

	if (begin_windows(&w, r, work, err) || choose_period(&w, err) || usual_times(&w, err))
		return err->status;
	if (ts_reducer_pieces(r->n_steps, piece_of, &w, r->arena, out, err))
		return err->status;
	choose_length(&w);
	cut_spikes(&w);
	out->window = w.length;
	out->windows = r->n_steps - w.length + 1;
	if (time_metrics(&w, out, err))
		return err->status;
	rate_metrics(&w, r->tokens, &r->work->tokens_per_step, "the run has no column tokens and does not record work.tokens_per_step",
		     TS_METRIC_TOKENS_PER_S, devices, out);
	rate_metrics(&w, r->samples, &r->work->samples_per_step,
		     "the run has no column samples and does not record work.samples_per_step", TS_METRIC_SAMPLES_PER_S, devices, out);
	return mfu_metric(r, out, err);
}

static void ends_metrics(const struct ts_reduce_ends *ends, struct ts_reduction *out)
{
	if (ends->has_peak)
		positive(out, TS_METRIC_PEAK_MEMORY, ends->peak_bytes, "no rank had memory allocated");
	else
		unknown(out, TS_METRIC_PEAK_MEMORY, ts_span_str(ends->no_peak));
	/* A loss that is NaN or infinite is known, and it is the worst possible value. */
	if (ends->has_loss) {
		out->loss_column = ts_span_str(ends->loss_column ? ends->loss_column : "");
		known(out, TS_METRIC_LOSS, ends->loss);
		out->metrics[TS_METRIC_LOSS].has_error = isfinite(ends->loss_error);
		out->metrics[TS_METRIC_LOSS].error = isfinite(ends->loss_error) ? ends->loss_error : 0;
	} else {
		unknown(out, TS_METRIC_LOSS, ts_span_str(ends->no_loss));
	}
	out->best_loss.known = ends->has_best;
	if (ends->has_best)
		out->best_loss.value = ends->best_loss;
	else
		out->best_loss.reason = ts_span_str(ends->has_loss ? "no value of the loss is finite" : ends->no_loss);
}

static void wall_time(const struct ts_reducer *r, const struct ts_reduce_ends *ends, struct ts_reduction *out)
{
	const char *none = ends->no_time ? ends->no_time : "fewer than two steps of the run have a known time";

	out->wall_time.known = r->wall_time > 0;
	if (out->wall_time.known)
		out->wall_time.value = r->wall_time;
	else
		out->wall_time.reason = ts_span_str(none);
}

enum ts_status ts_reducer_finish(struct ts_reducer *r, const struct ts_reduce_ends *ends, struct ts_reduction *ret_reduction,
				 struct ts_error *err)
{
	const struct ts_work_number *accumulation = &r->work->accumulation;
	struct ts_reduction out = {
		.time_source = ts_span_str(ends->no_time ? ends->no_time
							 : ts_time_source_word(r->stamped ? TS_TIME_BY_STAMPS : TS_TIME_BY_PHASES)),
		.records = r->records,
		.warmup = r->warmup,
		.excluded = r->excluded,
		.counted = r->n_steps,
		.accumulation = accumulation->known ? accumulation->value : 1,
	};
	struct ts_arena work;
	enum ts_status status = TS_OK;

	ends_metrics(ends, &out);
	wall_time(r, ends, &out);
	if (ends->no_time || r->n_steps < TS_REDUCE_LEAST) {
		char *reason = too_few(r, ends);

		if (!reason)
			return ts_arena_error(r->arena, err);
		all_unknown(&out, ts_span_str(reason));
	} else if (accumulation->said && !accumulation->known) {
		all_unknown(&out, ts_span_str(accumulation->reason));
	} else {
		ts_arena_init(&work, r->arena->ceiling);
		status = measure(r, ends, &work, &out, err);
		ts_arena_finish(&work);
	}
	if (!status)
		status = ts_reducer_parts(r, &out, err);
	if (!status)
		*ret_reduction = out;
	return status;
}
