#include "analysis/ranks/straggler_burst.h"

#include "analysis/stats/stats.h"

#include <math.h>

/* A gap between stretches of far cells is at most this part of both. A longer one than BLINK cells is also as high. */
enum { JOIN = 4, BLINK = 3, WINDOWS = 24 };

static const size_t widths[] = {4, 16, 64};

enum ts_status ts_burst_room(size_t n, struct ts_arena *arena, struct ts_burst_room *ret, struct ts_error *err)
{
	struct ts_burst_room r = {.n = n};

	r.clipped = ts_arena_array(arena, n, sizeof *r.clipped);
	r.means = ts_arena_array(arena, n, sizeof *r.means);
	r.distances = ts_arena_array(arena, n, sizeof *r.distances);
	r.scratch = ts_arena_array(arena, n, sizeof *r.scratch);
	if (!r.clipped || !r.means || !r.distances || !r.scratch)
		return ts_arena_error(arena, err);
	*ret = r;
	return TS_OK;
}

/* Returns how far a value of x may lie from the median; 0 if most values are equal. out has room for n values. */
static double reach_of(const double *x, size_t n, double *out, double *scratch, double *ret_mid)
{
	*ret_mid = ts_median(x, n, scratch);
	for (size_t c = 0; c < n; c++)
		out[c] = fabs(x[c] - *ret_mid);
	return TS_BURST_FAR * ts_median(out, n, scratch);
}

/* Fills the means over each `width` cells, of clipped values. Returns how many there are. */
static size_t fill_means(struct ts_burst_room *r, size_t width)
{
	double sum = 0;

	for (size_t c = 0; c < r->n; c++) {
		sum += r->clipped[c] - (c >= width ? r->clipped[c - width] : 0);
		if (c + 1 >= width)
			r->means[c + 1 - width] = sum / (double)width;
	}
	return r->n < width ? 0 : r->n + 1 - width;
}

/* Returns from which distance on a cell of [from, to) is one of the burst: half of what its high (or low) cells have. */
static double least_of(const struct ts_burst_room *r, size_t from, size_t to, double sign)
{
	double least = r->reach / 3, sum = 0;
	size_t n = 0;

	for (size_t c = from; c < to; c++)
		if (sign * (r->clipped[c] - r->mid) >= least) {
			sum += sign * (r->clipped[c] - r->mid);
			n++;
		}
	return n ? fmax(least, sum / (double)n / 2) : least;
}

/* Marks what is high (or low) of cells [from, to), from the first such cell to the last. */
static void mark_within(struct ts_burst_room *r, size_t from, size_t to, double sign, bool *far)
{
	double least = least_of(r, from, to, sign);

	while (from < to && sign * (r->clipped[from] - r->mid) < least)
		from++;
	while (to > from && sign * (r->clipped[to - 1] - r->mid) < least)
		to--;
	for (size_t c = from; c < to; c++)
		far[c] = true;
}

static void mark_means(struct ts_burst_room *r, size_t width, bool *far)
{
	size_t n = fill_means(r, width);
	double mid, reach = n ? reach_of(r->means, n, r->distances, r->scratch, &mid) : 0;

	for (size_t c = 0; reach > 0 && c < n; c++)
		if (fabs(r->means[c] - mid) > reach)
			mark_within(r, c, c + width, r->means[c] > mid ? 1 : -1, far);
}

/* Whether the rank is still slow (or fast) in [from, to), though no cell of it is far: elsewhere, one burst has ended and another
 * begins. */
static bool goes_on(const struct ts_burst_room *r, size_t from, size_t to, bool high)
{
	double sum = 0;

	for (size_t c = from; c < to; c++)
		sum += high ? r->clipped[c] - r->mid : r->mid - r->clipped[c];
	return to - from <= BLINK || sum / (double)(to - from) >= r->reach / 4;
}

/* Joins stretches that the noise has cut: their gap is short beside them and high as they are, or low. */
static void join(const struct ts_burst_room *r, bool *far)
{
	struct ts_burst last, next;

	if (!ts_burst_next(far, r->n, 0, &last))
		return;
	while (ts_burst_next(far, r->n, last.to, &next)) {
		bool high = r->clipped[next.from] > r->mid, alike = (r->clipped[last.to - 1] > r->mid) == high;

		if (alike && (next.from - last.to) * JOIN <= last.to - last.from + next.to - next.from &&
		    goes_on(r, last.to, next.from, high)) {
			for (size_t c = last.to; c < next.from; c++)
				far[c] = true;
			next.from = last.from;
		}
		last = next;
	}
}

void ts_burst_mark(const double *x, struct ts_burst_room *room, bool *ret_far)
{
	room->reach = reach_of(x, room->n, room->distances, room->scratch, &room->mid);
	for (size_t c = 0; c < room->n; c++) {
		double least = room->mid - room->reach, most = room->mid + room->reach;

		ret_far[c] = room->reach > 0 && (x[c] < least || x[c] > most);
		room->clipped[c] = ret_far[c] ? fmin(fmax(x[c], least), most) : x[c];
	}
	for (size_t k = 0; room->reach > 0 && k < sizeof widths / sizeof widths[0] && widths[k] <= room->n / WINDOWS; k++)
		mark_means(room, widths[k], ret_far);
	join(room, ret_far);
}

bool ts_burst_next(const bool *far, size_t n, size_t at, struct ts_burst *ret)
{
	struct ts_burst b;

	for (b.from = at; b.from < n && !far[b.from]; b.from++)
		;
	if (b.from >= n)
		return false;
	for (b.to = b.from; b.to < n && far[b.to]; b.to++)
		;
	*ret = b;
	return true;
}
