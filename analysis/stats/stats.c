/* Percentiles by selection: doubles are mapped to unsigned words of the same order, and the words are partitioned around a narrow
 * band that holds the wanted rank. Mostly the band lies between two words of a sorted sample (Floyd and Rivest, 1975). Where that
 * took off too little, the next band comes from a histogram over the range of the values: such a round takes 11 bits off the band, so
 * there are at most 6 of each kind whatever the data, and no order of the input makes it quadratic, as unlucky pivots of a quickselect
 * can.
 */
#include "analysis/stats/stats.h"

#include "base/door.h"
#include "base/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	BUCKET_BITS = 11,
	BUCKETS = 1 << BUCKET_BITS,
	SMALL = 24, /* shorter arrays use insertion sort */
	SAMPLED = 256, /* arrays as long as this have the larger sample */
	SAMPLE_MAX = 32,
	MEDIAN_SAMPLED = 256, /* arrays as long as this are read once for a median, and only the band is copied */
	MEDIAN_SAMPLE = 64,
	MEDIAN_REACH = 10, /* 2.5 standard errors of the place of the median in the sample */
	Q_MAX = 8,  /* percentiles of one call: this bounds the recursion, each level of which holds a histogram */
};

double ts_sum(const double *x, size_t n)
{
	double sum = 0.0, carry = 0.0, plain = 0.0;

	for (size_t i = 0; i < n; i++) {
		double t = sum + x[i];

		carry += fabs(sum) >= fabs(x[i]) ? (sum - t) + x[i] : (x[i] - t) + sum;
		sum = t;
		plain += x[i];
	}
	/* After an infinity the carry is NaN, but the plain sum is what IEEE 754 defines. */
	return isfinite(sum + carry) ? sum + carry : plain;
}

double ts_mean(const double *x, size_t n)
{
	return ts_sum(x, n) / (double)n;
}

double ts_stddev(const double *x, size_t n, double mean)
{
	double sum = 0.0, carry = 0.0;

	for (size_t i = 0; i < n; i++) {
		double d = x[i] - mean;
		double square = d * d;
		double t = sum + square;

		carry += sum >= square ? (sum - t) + square : (square - t) + sum;
		sum = t;
	}
	if (!isfinite(sum))
		return sum;
	return sqrt((sum + carry) / (double)n);
}

/* Maps doubles to words in the same order: -inf < ... < -0 < +0 < ... < inf. */
static uint64_t word_of(double v)
{
	uint64_t bits = ts_double_bits(v);

	return bits ^ ((0 - (bits >> 63)) | UINT64_C(1) << 63);
}

static double double_of(uint64_t word)
{
	return ts_bits_double(word >> 63 ? word & ~(UINT64_C(1) << 63) : ~word);
}

static uint64_t load(const double *x, size_t i)
{
	uint64_t w;

	memcpy(&w, &x[i], sizeof w);
	return w;
}

static void store(double *x, size_t i, uint64_t w)
{
	memcpy(&x[i], &w, sizeof w);
}

static void sort_small(double *x, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t w = load(x, i);
		size_t j = i;

		for (; j > 0 && load(x, j - 1) > w; j--)
			store(x, j, load(x, j - 1));
		store(x, j, w);
	}
}

/* Moves the words below pivot to the front and returns their number. It swaps whatever the values, so that no branch is
 * mispredicted. */
static size_t move_below(double *x, size_t n, uint64_t pivot)
{
	size_t below = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t w = load(x, i);

		store(x, i, load(x, below));
		store(x, below, w);
		below += w < pivot;
	}
	return below;
}

/* Partitions x into words below lo, in [lo, hi] and above hi; returns the ends of the first two parts. */
static void part_around(double *x, size_t n, uint64_t lo, uint64_t hi, size_t *ret_below, size_t *ret_upto)
{
	size_t below = lo > 0 ? move_below(x, n, lo) : 0;

	*ret_below = below;
	*ret_upto = hi < UINT64_MAX ? below + move_below(x + below, n - below, hi + 1) : n;
}

/* Guesses a band that holds the word of this rank from a sorted sample, by two standard errors on either side. */
static void sampled_band(const double *x, size_t n, size_t rank, uint64_t *ret_lo, uint64_t *ret_hi)
{
	size_t m = n >= SAMPLED ? SAMPLE_MAX : SAMPLE_MAX / 2, reach = n >= SAMPLED ? 6 : 4;
	size_t at = (size_t)((double)rank / (double)n * (double)m);
	double sample[SAMPLE_MAX];

	for (size_t i = 0; i < m; i++)
		store(sample, i, load(x, n / m * i + n % m * i / m));
	sort_small(sample, m);
	*ret_lo = at >= reach ? load(sample, at - reach) : 0;
	*ret_hi = at + reach < m ? load(sample, at + reach) : UINT64_MAX;
}

/* Finds the band of words, one histogram bucket wide, that contains the word of this rank. */
static void band_of(const double *x, size_t n, size_t rank, uint64_t min, uint64_t max, uint64_t *ret_lo,
		    uint64_t *ret_hi)
{
	uint32_t count[BUCKETS] = {0};
	int bits = 64 - __builtin_clzll(max - min);
	int shift = bits > BUCKET_BITS ? bits - BUCKET_BITS : 0;
	size_t before = 0;
	uint64_t b = 0;

	/* Counts cover at most the first 2^32 - 1 values; no column is that long. */
	for (size_t i = 0; i < n; i++)
		count[(load(x, i) - min) >> shift]++;
	while (before + count[b] <= rank)
		before += count[b++];
	*ret_lo = min + (b << shift);
	*ret_hi = *ret_lo + ((UINT64_C(1) << shift) - 1);
	if (*ret_hi < *ret_lo || *ret_hi > max) /* the last bucket may extend past the greatest word */
		*ret_hi = max;
}

static void extremes(const double *x, size_t n, uint64_t *ret_min, uint64_t *ret_max)
{
	uint64_t min = load(x, 0), max = min;

	for (size_t i = 1; i < n; i++) {
		uint64_t w = load(x, i);

		min = w < min ? w : min;
		max = w > max ? w : max;
	}
	*ret_min = min;
	*ret_max = max;
}

static void all_are(uint64_t word, size_t n_ranks, uint64_t *out)
{
	for (size_t i = 0; i < n_ranks; i++)
		out[i] = word;
}

/* Sets out[i] to the word of ranks[i] (ascending, counted from base at x[0]). Each recursion has fewer ranks, or fewer words, or
 * after a sample that did not help a band that is 2^11 times narrower. */
static void select_ranks(double *x, size_t n, size_t base, const size_t *ranks, size_t n_ranks, bool sampled, uint64_t *out)
{
	size_t mid = n_ranks / 2, first = mid, last = mid, below, upto;
	uint64_t min, max, lo, hi;

	if (n_ranks == 0)
		return;
	if (n <= SMALL) {
		sort_small(x, n);
		for (size_t i = 0; i < n_ranks; i++)
			out[i] = load(x, ranks[i] - base);
		return;
	}
	if (sampled) {
		sampled_band(x, n, ranks[mid] - base, &lo, &hi);
	} else {
		extremes(x, n, &min, &max);
		if (min == max) {
			all_are(min, n_ranks, out);
			return;
		}
		band_of(x, n, ranks[mid] - base, min, max, &lo, &hi);
	}
	part_around(x, n, lo, hi, &below, &upto);
	while (first > 0 && ranks[first - 1] - base >= below)
		first--;
	while (first < n_ranks && ranks[first] - base < below)
		first++;
	last = first;
	while (last < n_ranks && ranks[last] - base < upto)
		last++;
	select_ranks(x, below, base, ranks, first, !sampled || below <= n - n / 4, out);
	if (lo == hi)
		all_are(lo, last - first, out + first);
	else
		select_ranks(x + below, upto - below, base + below, ranks + first, last - first, !sampled || upto - below <= n - n / 4,
			     out + first);
	select_ranks(x + upto, n - upto, base + upto, ranks + last, n_ranks - last, !sampled || n - upto <= n - n / 4, out + last);
}

static void percentiles_few(double *x, size_t n, const double *q, size_t n_q, double *out)
{
	size_t ranks[2 * Q_MAX];
	uint64_t words[2 * Q_MAX];

	for (size_t i = 0; i < n_q; i++) {
		double pos = q[i] / 100.0 * (double)(n - 1);

		ranks[2 * i] = (size_t)pos;
		ranks[2 * i + 1] = ranks[2 * i] + 1 < n ? ranks[2 * i] + 1 : n - 1;
	}
	/* Close percentiles of few values overlap: 3 4, 3 4 becomes 3 3 4 4; each is found by its rank below. */
	for (size_t i = 1; i < 2 * n_q; i++)
		for (size_t j = i; j > 0 && ranks[j - 1] > ranks[j]; j--) {
			size_t t = ranks[j];

			ranks[j] = ranks[j - 1];
			ranks[j - 1] = t;
		}
	select_ranks(x, n, 0, ranks, 2 * n_q, true, words);
	for (size_t i = 0; i < n_q; i++) {
		double pos = q[i] / 100.0 * (double)(n - 1);
		size_t lo = (size_t)pos, at = 0;
		double f = pos - (double)lo, a, b;

		while (ranks[at] != lo)
			at++;
		a = double_of(words[at]);
		while (at + 1 < 2 * n_q && ranks[at] == lo)
			at++;
		b = double_of(words[at]);
		/* Equal ends, and 0 * infinity, must not be multiplied. */
		out[i] = f <= 0.0 || a == b ? a : a * (1.0 - f) + b * f;
	}
}

void ts_percentiles(double *scratch, size_t n, const double *q, size_t n_q, double *out)
{
	bool nan = false;

	for (size_t i = 0; i < n; i++) {
		nan |= isnan(scratch[i]);
		store(scratch, i, word_of(scratch[i]));
	}
	if (nan || n == 0) {
		for (size_t i = 0; i < n_q; i++)
			out[i] = (double)NAN;
		return;
	}
	for (size_t at = 0; at < n_q; at += Q_MAX)
		percentiles_few(scratch, n, q + at, n_q - at < Q_MAX ? n_q - at : Q_MAX, out + at);
}

/* The middle of a and b, as ts_percentiles computes it. */
static double middle_of(double a, double b)
{
	return a == b ? a : a * 0.5 + b * 0.5;
}

/* False if a value is NaN, or if the median is 0, whose sign the sort does not know. */
static bool median_16(const double *x, double *ret)
{
	bool nan = false;
	double sorted[16];

	for (size_t i = 0; i < 16; i++) {
		nan |= isnan(x[i]);
		sorted[i] = x[i];
	}
	ts_sort_16(sorted);
	if (nan || (sorted[7] == 0 && sorted[8] == 0))
		return false;
	*ret = middle_of(sorted[7], sorted[8]);
	return true;
}

/* Copies the words of a band around the median of a sample, and selects among those. False if a value is NaN, or if the median is not
 * in the band. */
static bool median_of_band(const double *x, size_t n, double *scratch, double *ret)
{
	size_t below = 0, in = 0, ranks[2] = {(n - 1) / 2, n / 2};
	uint64_t lo, hi, words[2];
	double sample[MEDIAN_SAMPLE];
	bool nan = false;

	for (size_t i = 0; i < MEDIAN_SAMPLE; i++)
		store(sample, i, word_of(x[n / MEDIAN_SAMPLE * i + n % MEDIAN_SAMPLE * i / MEDIAN_SAMPLE]));
	sort_small(sample, MEDIAN_SAMPLE);
	lo = load(sample, MEDIAN_SAMPLE / 2 - MEDIAN_REACH);
	hi = load(sample, MEDIAN_SAMPLE / 2 + MEDIAN_REACH);
	for (size_t i = 0; i < n; i++) {
		uint64_t w = word_of(x[i]);

		nan |= isnan(x[i]);
		below += w < lo;
		store(scratch, in, w);
		in += w - lo <= hi - lo;
	}
	if (nan || ranks[0] < below || ranks[1] >= below + in)
		return false;
	select_ranks(scratch, in, below, ranks, 2, true, words);
	*ret = middle_of(double_of(words[0]), double_of(words[1]));
	return true;
}

double ts_median(const double *x, size_t n, double *scratch)
{
	static const double half = 50.0;
	double out;

	if ((n == 16 && median_16(x, &out)) || (n >= MEDIAN_SAMPLED && scratch != x && median_of_band(x, n, scratch, &out)))
		return out;
	if (n && scratch != x)
		memcpy(scratch, x, n * sizeof *x);
	ts_percentiles(scratch, n, &half, 1, &out);
	return out;
}

size_t ts_level_split(const double *x, size_t low, size_t at, size_t high, double before, double after)
{
	double sum = 0, least = 0;
	size_t found = at;

	TS_DOOR(low <= at && at <= high);
	for (size_t i = at; i-- > low;) {
		sum += fabs(x[i] - after) - fabs(x[i] - before);
		if (sum < least) {
			least = sum;
			found = i;
		}
	}
	sum = 0;
	for (size_t i = at; i < high; i++) {
		sum += fabs(x[i] - before) - fabs(x[i] - after);
		if (sum < least) {
			least = sum;
			found = i + 1;
		}
	}
	return found;
}

double ts_median_finite(const double *x, size_t n, double *scratch)
{
	size_t finite = 0;

	for (size_t i = 0; i < n; i++)
		if (isfinite(x[i]))
			scratch[finite++] = x[i];
	return finite ? ts_median(scratch, finite, scratch) : (double)NAN;
}

double ts_nth(double *x, size_t n, size_t k)
{
	size_t lo = 0, hi = n - 1;

	while (lo < hi) {
		double pivot = x[lo + (hi - lo) / 2];
		size_t i = lo, j = hi;

		for (;; i++, j--) {
			double t;

			while (x[i] < pivot)
				i++;
			while (x[j] > pivot)
				j--;
			if (i >= j)
				break;
			t = x[i];
			x[i] = x[j];
			x[j] = t;
		}
		if (k <= j)
			hi = j;
		else
			lo = j + 1;
	}
	return x[k];
}

double ts_median_few(double *x, size_t n)
{
	double upper = ts_nth(x, n, n / 2), below = x[0];

	if (n % 2)
		return upper;
	for (size_t i = 1; i < n / 2; i++)
		below = x[i] > below ? x[i] : below;
	return (below + upper) / 2;
}

static void order(double *a, double *b)
{
	double x = *a, y = *b;

	*a = x < y ? x : y;
	*b = x < y ? y : x;
}

void ts_sort_4(double *x)
{
	order(&x[0], &x[1]);
	order(&x[2], &x[3]);
	order(&x[0], &x[2]);
	order(&x[1], &x[3]);
	order(&x[1], &x[2]);
}

/* Compares all pairs (i, i + d) of one round. The lesser and the greater values are found apart, because a compiler makes a branch of
 * both together; loops and arguments are constants to it. */
static inline __attribute__((always_inline)) void sort_round(double *x, size_t p, size_t r, size_t d)
{
	double lesser[16];

#pragma GCC unroll 16
	for (size_t i = 0; i < 16; i++)
		if (i + d < 16 && (i & p) == r)
			lesser[i] = x[i] < x[i + d] ? x[i] : x[i + d];
#pragma GCC unroll 16
	for (size_t i = 0; i < 16; i++)
		if (i + d < 16 && (i & p) == r)
			x[i + d] = x[i] < x[i + d] ? x[i + d] : x[i];
#pragma GCC unroll 16
	for (size_t i = 0; i < 16; i++)
		if (i + d < 16 && (i & p) == r)
			x[i] = lesser[i];
}

/* Sorts by Batcher's merge exchange (Knuth, TAOCP 3, 5.2.2 M): it compares the same positions whatever the values,
 * so no branch is mispredicted. */
void ts_sort_16(double *x)
{
	sort_round(x, 8, 0, 8);
	sort_round(x, 4, 0, 4);
	sort_round(x, 4, 4, 4);
	sort_round(x, 2, 0, 2);
	sort_round(x, 2, 2, 6);
	sort_round(x, 2, 2, 2);
	sort_round(x, 1, 0, 1);
	sort_round(x, 1, 1, 7);
	sort_round(x, 1, 1, 3);
	sort_round(x, 1, 1, 1);
}

double ts_relative_gap(double a, double b)
{
	if (a == b || (isnan(a) && isnan(b)))
		return 0;
	if (!isfinite(a) || !isfinite(b))
		return 1;
	return fabs(a - b) / fmax(fabs(a), fabs(b));
}
