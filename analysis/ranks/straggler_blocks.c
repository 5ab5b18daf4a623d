#include "analysis/ranks/straggler_blocks.h"

#include "analysis/ranks/straggler_burst.h"
#include "analysis/stats/correlation.h"
#include "analysis/stats/permutation.h"

#include <math.h>
#include <string.h>

/* Far values in no more cells than this are a pause, which a line bridges. */
enum { PAUSE = 3 };

/* From so many stretches on, their lengths say how long a burst may be: the longest of exponential lengths is longer than the
 * others' mean times log(n / RARE) in a share of RARE of the runs. */
enum { USUAL_OF = 4 };
#define RARE 0.002

/* The bursts of all ranks. */
struct bursts {
	size_t n_cells;
	double n, beyond; /* stretches of far cells that are longer than a pause, and their cells beyond its length */
	double cells, squares; /* sums of the lengths of those that are bursts, and of their squares */
	size_t *crossing; /* [n_cells + 1]: ranks whose burst holds both the cell before and the one behind this place */
};

static void bridge(double *x, size_t n, size_t from, size_t to)
{
	double before = from ? x[from - 1] : x[to], after = to < n ? x[to] : before;

	for (size_t c = from; c < to; c++)
		x[c] = before + (after - before) * (double)(c - from + 1) / (double)(to - from + 1);
}

static void count(const bool *far, struct bursts *b)
{
	struct ts_burst at = {0};

	while (ts_burst_next(far, b->n_cells, at.to, &at)) {
		if (at.to - at.from > PAUSE) {
			b->n++;
			b->beyond += (double)(at.to - at.from - PAUSE);
		}
	}
}

/* Returns whether such a stretch is a burst among the others, rather than a time in which the rank was slow. */
static bool is_burst(const struct bursts *b, const struct ts_burst *at)
{
	double length = (double)(at->to - at->from), n_cells = (double)b->n_cells;
	double share = (at->to == b->n_cells ? TS_BURST_LASTS : TS_BURST_MOST) * n_cells;
	double usual = b->n >= USUAL_OF && length > PAUSE ? PAUSE + (b->beyond + PAUSE - length) / (b->n - 1) * log(b->n / RARE) : 0;

	return length <= fmax(TS_BURST_CELLS, fmax(share, usual)) && length < n_cells / 3;
}

static void take_out(const bool *far, double mid, double *calm, struct bursts *b)
{
	struct ts_burst at = {0};

	while (ts_burst_next(far, b->n_cells, at.to, &at)) {
		double length = (double)(at.to - at.from);

		if (!is_burst(b, &at))
			continue;
		if (length <= PAUSE)
			bridge(calm, b->n_cells, at.from, at.to);
		for (size_t c = at.from; length > PAUSE && c < at.to; c++)
			calm[c] = mid;
		for (size_t c = at.from + 1; c < at.to; c++)
			b->crossing[c]++;
		b->cells += length;
		b->squares += length * length;
	}
}

/* Returns where a block may end, at `at` or behind it: the first place that no burst crosses, or the one that fewest do. */
static size_t cut_from(const struct bursts *b, size_t at)
{
	size_t best = at;

	for (size_t c = at; c < b->n_cells && (double)(c - at) <= TS_BURST_MOST * (double)b->n_cells; c++) {
		if (b->crossing[c] < b->crossing[best])
			best = c;
		if (!b->crossing[best])
			break;
	}
	return best;
}

static void cut(const struct bursts *b, struct ts_straggler_blocks *blocks)
{
	double typical = b->cells > 0 ? b->squares / b->cells : 0;
	size_t n_cells = b->n_cells, n = n_cells / blocks->length;

	n = n < TS_PERMUTATION_BLOCKS_MAX ? n : TS_PERMUTATION_BLOCKS_MAX;
	for (size_t k = 1; k < n; k++) {
		size_t at = cut_from(b, k * n_cells / n);

		if (b->crossing[at] && at - blocks->from[blocks->n] < 2 * typical)
			continue;
		if (at > blocks->from[blocks->n] && at < n_cells)
			blocks->from[++blocks->n] = at;
	}
	blocks->from[++blocks->n] = n_cells;
}

enum ts_status ts_straggler_blocks(const double *x, size_t n_ranks, size_t n_cells, struct ts_arena *arena, double *calm,
				   struct ts_straggler_blocks *ret, struct ts_error *err)
{
	struct bursts b = {.n_cells = n_cells, .crossing = ts_arena_array(arena, n_cells + 1, sizeof *b.crossing)};
	struct ts_straggler_blocks blocks = {.from = ts_arena_array(arena, TS_PERMUTATION_BLOCKS_MAX + 1, sizeof *blocks.from)};
	bool *far = n_ranks < SIZE_MAX / n_cells ? ts_arena_array(arena, n_ranks * n_cells, sizeof *far) : NULL;
	double *mid = ts_arena_array(arena, n_ranks, sizeof *mid);
	struct ts_burst_room room;

	if (!b.crossing || !blocks.from || !far || !mid || ts_burst_room(n_cells, arena, &room, err))
		return ts_arena_error(arena, err);
	for (size_t a = 0; a < n_ranks; a++) {
		ts_burst_mark(x + a * n_cells, &room, far + a * n_cells);
		memcpy(calm + a * n_cells, room.clipped, n_cells * sizeof *calm);
		count(far + a * n_cells, &b);
		mid[a] = room.mid;
	}
	for (size_t a = 0; a < n_ranks; a++)
		take_out(far + a * n_cells, mid[a], calm + a * n_cells, &b);
	if (ts_correlation_length(calm, n_cells, n_ranks, n_ranks - 1, n_cells, arena, &blocks.length, err))
		return err->status;
	if (blocks.length)
		cut(&b, &blocks);
	*ret = blocks;
	return TS_OK;
}
