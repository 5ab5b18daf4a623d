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
	double kept, kept_beyond; /* the same of those that are bursts */
};

static void bridge(double *x, size_t n, size_t from, size_t to)
{
	double before = from ? x[from - 1] : x[to], after = to < n ? x[to] : before;

	for (size_t c = from; c < to; c++)
		x[c] = before + (after - before) * (double)(c - from + 1) / (double)(to - from + 1);
}

/* Returns how long a burst may be by chance, if n others have so many cells beyond the length of a pause in all. */
static double longest_of(double n, double beyond)
{
	return PAUSE + beyond / n * log((n + 1) / RARE);
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
	double usual = b->n >= USUAL_OF && length > PAUSE ? longest_of(b->n - 1, b->beyond + PAUSE - length) : 0;

	return length <= fmax(TS_BURST_CELLS, fmax(share, usual)) && length < n_cells / 3;
}

/* Leaves in io_far only what lies in bursts. */
static void take_out(bool *io_far, double mid, double *calm, struct bursts *b)
{
	struct ts_burst at = {0};

	while (ts_burst_next(io_far, b->n_cells, at.to, &at)) {
		size_t length = at.to - at.from;

		if (!is_burst(b, &at)) {
			memset(io_far + at.from, 0, length * sizeof *io_far);
			continue;
		}
		if (length <= PAUSE) {
			bridge(calm, b->n_cells, at.from, at.to);
			continue;
		}
		for (size_t c = at.from; c < at.to; c++)
			calm[c] = mid;
		b->kept++;
		b->kept_beyond += (double)(length - PAUSE);
	}
}

/* Cuts one rank: at equal distances, but a burst that is cut belongs to the block in which it begins. */
static void cut(const bool *in_burst, size_t n_cells, size_t n, size_t *ret_from)
{
	ret_from[0] = 0;
	for (size_t k = 1; k <= n; k++) {
		size_t at = k * n_cells / n;

		while (at < n_cells && in_burst[at - 1] && in_burst[at])
			at++;
		ret_from[k] = at;
	}
}

enum ts_status ts_straggler_blocks(const double *x, size_t n_ranks, size_t n_cells, struct ts_arena *arena, double *calm,
				   struct ts_straggler_blocks *ret, struct ts_error *err)
{
	struct bursts b = {.n_cells = n_cells};
	struct ts_straggler_blocks blocks = {.n = 0};
	bool *far = n_ranks < SIZE_MAX / n_cells ? ts_arena_array(arena, n_ranks * n_cells, sizeof *far) : NULL;
	double *mid = ts_arena_array(arena, n_ranks, sizeof *mid);
	struct ts_burst_room room;

	if (!far || !mid || ts_burst_room(n_cells, arena, &room, err))
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
	if (blocks.length) {
		blocks.n = n_cells / blocks.length < TS_PERMUTATION_BLOCKS_MAX ? n_cells / blocks.length : TS_PERMUTATION_BLOCKS_MAX;
		blocks.from = ts_arena_array(arena, n_ranks, (blocks.n + 1) * sizeof *blocks.from);
		if (!blocks.from)
			return ts_arena_error(arena, err);
		for (size_t a = 0; a < n_ranks; a++)
			cut(far + a * n_cells, n_cells, blocks.n, blocks.from + a * (blocks.n + 1));
	}
	if (b.kept >= USUAL_OF)
		blocks.burst = (size_t)ceil(longest_of(b.kept - 1, b.kept_beyond * (b.kept - 1) / b.kept));
	*ret = blocks;
	return TS_OK;
}
