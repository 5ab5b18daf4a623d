#include "run/score.h"

#include "base/cursor.h"
#include "base/door.h"
#include "run/fact.h"

#include <math.h>

static const char *const words[TS_STATS] = {
	[TS_STAT_LAST] = "last",	     [TS_STAT_BEST] = "best",		[TS_STAT_MEAN] = "mean",
	[TS_STAT_MIN] = "min",		     [TS_STAT_MAX] = "max",		[TS_STAT_COUNT] = "count",
	[TS_STAT_LAST_STEP] = "last_step", [TS_STAT_BEST_STEP] = "best_step", [TS_STAT_MIN_STEP] = "min_step",
	[TS_STAT_MAX_STEP] = "max_step",   [TS_STAT_NONFINITE] = "nonfinite",
};

static inline double value_at(const uint8_t *data, size_t row)
{
	uint64_t word = ts_load_le(data + row * 8, 8);
	double v;

	memcpy(&v, &word, sizeof v);
	return v;
}

static void add_sum(double *sum, double *lost, double v)
{
	double next = *sum + v;

	*lost += fabs(*sum) >= fabs(v) ? (*sum - next) + v : (v - next) + *sum;
	*sum = next;
}

/* Every fourth value: chains of operations that do not wait for each other are several times as fast as one. */
enum { LANES = 4 };
struct lanes {
	double sum[LANES], lost[LANES], min[LANES], max[LANES];
};

/* As add_sum, which finds the same two numbers with a branch (Knuth's TwoSum). */
static inline void add_two(double *sum, double *lost, double v)
{
	double next = *sum + v, part = next - *sum;

	*lost += (*sum - (next - part)) + (v - part);
	*sum = next;
}

static bool all_finite(const uint8_t *data, size_t rows)
{
	const uint64_t exponent = UINT64_C(0x7ff0000000000000);
	uint64_t bad = 0;

	for (size_t i = 0; i < rows; i++)
		bad |= (ts_load_le(data + i * 8, 8) & exponent) == exponent;
	return !bad;
}

/* rows is a multiple of LANES, and the values are finite. */
static void sum_lanes(const uint8_t *data, size_t rows, struct lanes *l)
{
	double s0 = 0, s1 = 0, s2 = 0, s3 = 0, e0 = 0, e1 = 0, e2 = 0, e3 = 0;

	for (size_t i = 0; i < rows; i += LANES) {
		add_two(&s0, &e0, value_at(data, i));
		add_two(&s1, &e1, value_at(data, i + 1));
		add_two(&s2, &e2, value_at(data, i + 2));
		add_two(&s3, &e3, value_at(data, i + 3));
	}
	memcpy(l->sum, (double[]){s0, s1, s2, s3}, sizeof l->sum);
	memcpy(l->lost, (double[]){e0, e1, e2, e3}, sizeof l->lost);
}

static inline double lesser(double a, double b)
{
	return b < a ? b : a;
}

static inline double larger(double a, double b)
{
	return b > a ? b : a;
}

static void range_lanes(const uint8_t *data, size_t rows, struct lanes *l)
{
	double a0 = INFINITY, a1 = a0, a2 = a0, a3 = a0, b0 = -a0, b1 = b0, b2 = b0, b3 = b0;

	for (size_t i = 0; i < rows; i += LANES) {
		double v0 = value_at(data, i), v1 = value_at(data, i + 1), v2 = value_at(data, i + 2), v3 = value_at(data, i + 3);

		a0 = lesser(a0, v0), a1 = lesser(a1, v1), a2 = lesser(a2, v2), a3 = lesser(a3, v3);
		b0 = larger(b0, v0), b1 = larger(b1, v1), b2 = larger(b2, v2), b3 = larger(b3, v3);
	}
	memcpy(l->min, (double[]){a0, a1, a2, a3}, sizeof l->min);
	memcpy(l->max, (double[]){b0, b1, b2, b3}, sizeof l->max);
}

/* Does the same for the rows from `from` on, some of which may not be finite. Returns how many are not. */
static uint32_t slow_lanes(const uint8_t *data, size_t from, size_t rows, struct lanes *l)
{
	uint32_t nonfinite = 0;

	for (size_t i = from; i < rows; i++) {
		double v = value_at(data, i);
		size_t lane = i % LANES;

		if (!isfinite(v)) {
			nonfinite++;
			continue;
		}
		add_two(&l->sum[lane], &l->lost[lane], v);
		l->min[lane] = lesser(l->min[lane], v);
		l->max[lane] = larger(l->max[lane], v);
	}
	return nonfinite;
}

static uint32_t row_of(const uint8_t *data, double v)
{
	uint32_t row = 0;

	while (value_at(data, row) != v)
		row++;
	return row;
}

struct ts_block_score ts_block_score_of(struct ts_span values)
{
	size_t rows = values.len / 8, fast = all_finite(values.data, rows) ? rows - rows % LANES : 0;
	struct ts_block_score b = {.min = INFINITY, .max = -INFINITY};
	struct lanes l;

	sum_lanes(values.data, fast, &l);
	range_lanes(values.data, fast, &l);
	b.nonfinite = slow_lanes(values.data, fast, rows, &l);
	for (int j = 0; j < LANES; j++) {
		b.min = lesser(b.min, l.min[j]);
		b.max = larger(b.max, l.max[j]);
		add_sum(&b.sum, &b.lost, l.sum[j]);
		add_sum(&b.sum, &b.lost, l.lost[j]);
	}
	b.count = (uint32_t)rows - b.nonfinite;
	if (b.count == 0)
		return b;
	b.min_row = row_of(values.data, b.min);
	b.max_row = row_of(values.data, b.max);
	for (b.last_row = (uint32_t)rows - 1; !isfinite(value_at(values.data, b.last_row));)
		b.last_row--;
	b.last = value_at(values.data, b.last_row);
	TS_DOOR(b.min <= b.max && b.min_row < rows && b.max_row < rows);
	return b;
}

void ts_scoring_add(struct ts_scoring *s, const struct ts_block_score *b, const int64_t *keys, int64_t first_key)
{
	struct ts_score *score = &s->score;

	TS_DOOR(!b->count || (b->min <= b->max && isfinite(b->min) && isfinite(b->max)));
	score->nonfinite += b->nonfinite;
	if (b->count == 0)
		return;
	if (score->count == 0 || b->min < score->min) {
		score->min = b->min;
		score->min_step = keys ? keys[b->min_row] : first_key + b->min_row;
	}
	if (score->count == 0 || b->max > score->max) {
		score->max = b->max;
		score->max_step = keys ? keys[b->max_row] : first_key + b->max_row;
	}
	score->last = b->last;
	score->last_step = keys ? keys[b->last_row] : first_key + b->last_row;
	score->count += b->count;
	add_sum(&s->sum, &s->lost, b->sum);
	add_sum(&s->sum, &s->lost, b->lost);
}

struct ts_score ts_scoring_end(const struct ts_scoring *s)
{
	struct ts_score score = s->score;

	TS_DOOR(!score.count || score.min <= score.max);
	if (score.count)
		score.mean = (s->sum + s->lost) / (double)score.count;
	return score;
}

/* The statistic that stands for the best value, or for its step. */
static bool settle(enum ts_direction direction, enum ts_stat *io_stat)
{
	if (*io_stat != TS_STAT_BEST && *io_stat != TS_STAT_BEST_STEP)
		return true;
	if (direction == TS_DIRECTION_UNKNOWN)
		return false;
	if (*io_stat == TS_STAT_BEST)
		*io_stat = direction == TS_DIRECTION_DOWN ? TS_STAT_MIN : TS_STAT_MAX;
	else
		*io_stat = direction == TS_DIRECTION_DOWN ? TS_STAT_MIN_STEP : TS_STAT_MAX_STEP;
	return true;
}

static double real_of(const struct ts_score *s, enum ts_stat stat)
{
	if (stat == TS_STAT_LAST)
		return s->last;
	if (stat == TS_STAT_MIN)
		return s->min;
	return stat == TS_STAT_MAX ? s->max : s->mean;
}

static int64_t integer_of(const struct ts_score *s, enum ts_stat stat)
{
	if (stat == TS_STAT_NONFINITE)
		return (int64_t)s->nonfinite;
	if (stat == TS_STAT_LAST_STEP)
		return s->last_step;
	if (stat == TS_STAT_MIN_STEP)
		return s->min_step;
	return stat == TS_STAT_MAX_STEP ? s->max_step : (int64_t)s->count;
}

bool ts_score_value(const struct ts_score *s, enum ts_direction direction, enum ts_stat stat, struct ts_score_value *ret)
{
	struct ts_score_value value = {0};

	if (!settle(direction, &stat) || (s->count == 0 && stat != TS_STAT_COUNT && stat != TS_STAT_NONFINITE))
		return false;
	value.is_integer = ts_stat_is_integer(stat);
	if (value.is_integer)
		value.integer = integer_of(s, stat);
	else
		value.real = real_of(s, stat);
	if (!isfinite(value.real))
		return false;
	*ret = value;
	return true;
}

/* Short numbers: seven bits a byte, the lowest first, and the eighth bit if more bytes follow. */
static void put_count(struct ts_buf *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		ts_buf_u8(out, (uint8_t)(v | 0x80));
	ts_buf_u8(out, (uint8_t)v);
}

static bool read_count(struct ts_cursor *c, uint64_t *ret)
{
	uint64_t v = 0;

	for (int shift = 0; shift < 64; shift += 7) {
		uint8_t byte = ts_cursor_u8(c);

		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret = v;
			return !c->failed;
		}
	}
	return false;
}

/* Steps below 0 become odd numbers, so that both kinds are short. */
static void put_step(struct ts_buf *out, int64_t step)
{
	put_count(out, (uint64_t)step << 1 ^ (uint64_t)(step < 0 ? -1 : 0));
}

static bool read_step(struct ts_cursor *c, int64_t *ret)
{
	uint64_t v;

	if (!read_count(c, &v))
		return false;
	*ret = (int64_t)(v >> 1 ^ (v & 1 ? UINT64_MAX : 0));
	return true;
}

static void put_real(struct ts_buf *out, double v)
{
	uint64_t word;

	memcpy(&word, &v, sizeof word);
	ts_buf_u64(out, word);
}

static double read_real(struct ts_cursor *c)
{
	uint64_t word = ts_cursor_u64(c);
	double v;

	memcpy(&v, &word, sizeof v);
	return v;
}

void ts_score_encode(const struct ts_score *s, struct ts_buf *out)
{
	put_real(out, s->last);
	put_real(out, s->min);
	put_real(out, s->max);
	put_real(out, s->mean);
	put_count(out, s->count);
	put_count(out, s->nonfinite);
	put_step(out, s->last_step);
	put_step(out, s->min_step);
	put_step(out, s->max_step);
}

bool ts_score_decode(struct ts_span bytes, struct ts_score *ret_score)
{
	struct ts_cursor c = ts_cursor_of(bytes);
	struct ts_score s = {0};

	s.last = read_real(&c);
	s.min = read_real(&c);
	s.max = read_real(&c);
	s.mean = read_real(&c);
	if (!read_count(&c, &s.count) || !read_count(&c, &s.nonfinite) || !read_step(&c, &s.last_step) ||
	    !read_step(&c, &s.min_step) || !read_step(&c, &s.max_step) || ts_cursor_left(&c))
		return false;
	*ret_score = s;
	return true;
}

bool ts_stat_is_integer(enum ts_stat stat)
{
	return stat >= TS_STAT_COUNT;
}

/* Returns the place of the last '.' that is not escaped; 0 if there is none. */
static size_t last_dot(struct ts_span path)
{
	size_t dot = 0;

	for (size_t i = 0; i < path.len; i++) {
		if (path.data[i] == '\\')
			i++;
		else if (path.data[i] == '.')
			dot = i;
	}
	return dot;
}

bool ts_metric_split(struct ts_span path, struct ts_span *ret_series, enum ts_stat *ret_stat)
{
	size_t dot = last_dot(path);
	enum ts_group group;

	if (dot == 0 || ts_group_of(path, &group))
		return false;
	for (int stat = 0; stat < TS_STATS; stat++)
		if (ts_span_is(ts_span_of(path.data + dot + 1, path.len - dot - 1), words[stat])) {
			*ret_series = ts_span_of(path.data, dot);
			*ret_stat = (enum ts_stat)stat;
			return true;
		}
	return false;
}
