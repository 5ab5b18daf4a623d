#include "analysis/diverge/gap.h"

#include "analysis/stats/slope.h"
#include "analysis/stats/stats.h"
#include "base/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool same_value(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

/* A NaN of the first is passed over; the second is none. They are one instruction each, where fmax and fmin are calls, of which a point
 * takes ten. */
static double greater(double a, double b)
{
	return a > b ? a : b;
}

static double less(double a, double b)
{
	return a < b ? a : b;
}

static inline double ratio_of(double a, double b)
{
	double most = greater(fabs(a), fabs(b)), off = fabs(a - b);

	if (same_value(a, b))
		return 0;
	if (!isfinite(a) || !isfinite(b))
		return 1;
	return isfinite(off) ? off / most : fabs(a / most - b / most);
}

double ts_gap_ratio(double a, double b)
{
	return ratio_of(a, b);
}

double ts_gap_quantum(struct ts_resolution a, struct ts_resolution b, double x, double y)
{
	double most = fmax(fabs(x), fabs(y)); /* without a NaN, if only one is NaN */

	return fmax(ts_resolution_quantum(a, most), ts_resolution_quantum(b, most));
}

/* The quantum of a side at a finite x; grid: the quantum of a side that is no float32. */
static double quantum_at(struct ts_resolution r, double grid, double x)
{
	return r.precision == TS_PRECISION_F32 ? ts_float32_spacing(x) : grid;
}

static bool is_visible(const struct ts_gap_meter *m, double a, double b, double r)
{
	double quantum, most;

	if (r == 0)
		return false;
	if (!isfinite(a) || !isfinite(b))
		return true;
	most = greater(fabs(a), fabs(b));
	quantum = greater(quantum_at(m->a, m->grid_a, most), quantum_at(m->b, m->grid_b, most));
	return quantum == 0 || fabs(a - b) > quantum / 2 + DBL_EPSILON * most;
}

enum ts_status ts_gap_begin(struct ts_gap_meter *m, struct ts_resolution a, struct ts_resolution b, struct ts_arena *arena,
			    struct ts_error *err)
{
	double *tail = ts_arena_array(arena, TS_GAP_TAIL, sizeof *tail);

	if (!tail)
		return ts_arena_error(arena, err);
	*m = (struct ts_gap_meter){.a = a, .b = b, .tail = tail, .arena = arena};
	m->grid_a = ts_resolution_quantum(a, 1);
	m->grid_b = ts_resolution_quantum(b, 1);
	m->gap.at_visible = m->gap.ratio_least = m->gap.ratio_most = (double)NAN;
	for (unsigned d = TS_GAP_DIGITS_LEAST; d <= TS_GAP_DIGITS_MOST; d++)
		m->rounded |= 1u << d;
	return TS_OK;
}

static void note_greatest(struct ts_gap *gap, int64_t step, double r)
{
	if (gap->points > 0 && r <= gap->greatest)
		return;
	gap->greatest = r;
	gap->greatest_step = step;
}

static void note_visible(struct ts_gap_meter *m, int64_t step, double r)
{
	m->gap.visible = true;
	m->gap.visible_step = step;
	m->gap.at_visible = r;
	m->n_near = 0;
	m->closed = false;
}

/* A product of float32, or a sum in another order, has a relative error of 2^-23; half the quantum is the error of writing. */
static double slack(struct ts_resolution r, double grid, double x)
{
	return quantum_at(r, grid, x) / 2 + fabs(x) * 0x1p-23;
}

static void note_ratio(struct ts_gap_meter *m, double a, double b)
{
	double off_a = slack(m->a, m->grid_a, a) / fabs(a), off_b = slack(m->b, m->grid_b, b) / fabs(b), ratio = b / a;
	double off = (off_a + off_b) * fabs(ratio) * (1 + off_a);

	if (isnan(m->gap.ratio_least)) {
		m->gap.ratio_least = -(double)INFINITY;
		m->gap.ratio_most = (double)INFINITY;
		m->least_a = m->greatest_a = a;
	}
	m->gap.ratio_least = greater(ratio - off, m->gap.ratio_least);
	m->gap.ratio_most = less(ratio + off, m->gap.ratio_most);
	m->least_a = less(a, m->least_a);
	m->greatest_a = greater(a, m->greatest_a);
}

static void note_size(struct ts_gap_meter *m, double a, double b)
{
	m->last_a = isnan(a) ? (double)INFINITY : fabs(a);
	m->last_b = isnan(b) ? (double)INFINITY : fabs(b);
	m->most_a = greater(m->last_a, m->most_a);
	m->most_b = greater(m->last_b, m->most_b);
	if (a == 0 && b == 0)
		m->gap.zeros++;
	else if (isfinite(a) && isfinite(b) && a != 0 && b != 0 && isfinite(b / a))
		note_ratio(m, a, b);
	else
		m->no_ratio = true;
}

/* The number is rounded as "%.7g" prints it. */
static bool is_rounded(double from, double to, int digits)
{
	char text[32];
	double value;

	(void)snprintf(text, sizeof text, "%.*g", digits, from);
	return ts_parse_double(ts_span_str(text), &value) && value == to;
}

static void note_digits(struct ts_gap_meter *m, double a, double b, double r)
{
	if (!m->rounded || r == 0)
		return;
	if (r > 1e-4 || !isfinite(a) || !isfinite(b)) {
		m->rounded = 0;
		return;
	}
	for (int d = TS_GAP_DIGITS_LEAST; d <= TS_GAP_DIGITS_MOST; d++)
		if (m->rounded >> d & 1 && !is_rounded(a, b, d) && !is_rounded(b, a, d))
			m->rounded &= ~(1u << d);
}

void ts_gap_add(struct ts_gap_meter *m, int64_t step, double a, double b)
{
	struct ts_gap *gap = &m->gap;
	double r = ratio_of(a, b);

	if (gap->points == 0) {
		gap->known = true;
		gap->first = r;
		gap->quantum = ts_gap_quantum(m->a, m->b, a, b);
	}
	if (!gap->visible && is_visible(m, a, b, r))
		note_visible(m, step, r);
	if (!m->closed && m->n_near < TS_GAP_WINDOW) {
		m->steps[m->n_near] = step;
		m->near[m->n_near++] = r;
	}
	m->tail[m->n_tail++ % TS_GAP_TAIL] = r;
	note_greatest(gap, step, r);
	note_size(m, a, b);
	note_digits(m, a, b, r);
	m->above += a > b;
	m->below += a < b;
	gap->differing += r > 0;
	gap->points++;
	gap->last_step = step;
}

void ts_gap_hole(struct ts_gap_meter *m)
{
	m->closed = m->gap.points > 0;
	m->n_tail = 0;
}

bool ts_gap_wants(const struct ts_gap_meter *m)
{
	return !m->gap.visible || (!m->closed && m->n_near < TS_GAP_WINDOW);
}

static double after(const struct ts_gap_meter *m, size_t k)
{
	double five[5];

	if (m->n_near < k + 3)
		return (double)NAN;
	memcpy(five, m->near + k - 2, sizeof five);
	return ts_median_few(five, 5);
}

static enum ts_status fit_slope(const struct ts_gap_meter *m, double *ret_slope, struct ts_error *err)
{
	int64_t keys[TS_GAP_SLOPE];
	double values[TS_GAP_SLOPE];
	struct ts_series s = {.keys = keys, .values = values};
	struct ts_slope slope;

	for (size_t i = 0; i < m->n_near && i < TS_GAP_SLOPE; i++) {
		if (m->near[i] == 0)
			continue;
		keys[s.n] = m->steps[i];
		values[s.n++] = log(m->near[i]);
	}
	*ret_slope = (double)NAN;
	if (s.n < TS_GAP_SLOPE_LEAST)
		return TS_OK;
	if (ts_slope_fit(&s, TS_SLOPE_BLOCKS, m->arena, &slope, err))
		return err->status;
	if (slope.known)
		*ret_slope = slope.slope;
	return TS_OK;
}

static enum ts_status find_saturation(const struct ts_gap_meter *m, double *ret_saturation, struct ts_error *err)
{
	uint64_t n = m->gap.points / 10;
	double middle = 50, *last;

	n = n < m->n_tail ? n : m->n_tail;
	n = n < TS_GAP_TAIL ? n : TS_GAP_TAIL;
	*ret_saturation = (double)NAN;
	if (n < TS_GAP_TAIL_LEAST)
		return TS_OK;
	last = ts_arena_array(m->arena, (size_t)n, sizeof *last);
	if (!last)
		return ts_arena_error(m->arena, err);
	for (uint64_t i = 0; i < n; i++)
		last[i] = m->tail[(m->n_tail - n + i) % TS_GAP_TAIL];
	ts_percentiles(last, (size_t)n, &middle, 1, ret_saturation);
	return TS_OK;
}

enum ts_status ts_gap_end(struct ts_gap_meter *m, struct ts_gap *ret_gap, struct ts_error *err)
{
	struct ts_gap gap = m->gap;

	gap.after_10 = after(m, 10);
	gap.after_30 = after(m, 30);
	gap.after_100 = after(m, 100);
	gap.bias = m->above + m->below ? (double)m->above / (double)(m->above + m->below) : (double)NAN;
	gap.only_one_grows = m->most_a > 10 * m->most_b || m->most_b > 10 * m->most_a;
	gap.ends_grown = m->last_a > 10 * m->most_b || m->last_b > 10 * m->most_a;
	if (m->no_ratio && !isnan(gap.ratio_least))
		gap.ratio_least = (double)INFINITY;
	if (!isnan(gap.ratio_least))
		gap.spread_a = (m->greatest_a - m->least_a) / greater(fabs(m->greatest_a), fabs(m->least_a));
	if (gap.differing >= TS_GAP_TAIL_LEAST)
		for (uint8_t d = TS_GAP_DIGITS_MOST; d >= TS_GAP_DIGITS_LEAST; d--)
			gap.digits = m->rounded >> d & 1 ? d : gap.digits;
	if (fit_slope(m, &gap.slope, err) || find_saturation(m, &gap.saturation, err))
		return err->status;
	*ret_gap = gap;
	return TS_OK;
}
