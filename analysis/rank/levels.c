#include "analysis/rank/levels.h"

#include "analysis/stats/autoregression.h"
#include "analysis/stats/stats.h"
#include "analysis/stats/switching.h"
#include "analysis/stats/wander.h"

#include <math.h>

enum {
	CELLS = 512,
	CELLS_LEAST = 24,
	CELL = 4,   /* steps, at least */
	CELL_MOST = 32, /* more than a cell has where the blocks of spikes.h do not fill CELLS */
	VISIT = 4, /* cells of a visit on average, at least: shorter ones are mixed in cells */
	RUN_CELLS = 3, /* in a row, and so many steps: a visit that lasts */
	RUN_STEPS = 48,
	SWITCHES = 3,
	ROUNDS = 12, /* of two means */
};

static const double DEPENDENT = 3;  /* deviations of the von Neumann ratio of white noise below its mean */
static const double EVIDENCE = 11, POSSIBLE = 4;
static const double SPREAD = 0.05, SLOPE = 0.25;	 /* of visits, parts of the distance of the levels, */
static const double BETWEEN = 0.5, TREND = 0.1; /* and of the square of what the levels leave, so that it is no noise */
static const double CHANGE = 0.025; /* the least distance of two levels, in logarithms */
static const double CLEAR = 0.05;   /* and in single blocks */
static const double APART = 6;	    /* deviations within a level between two levels of single blocks */
static const double WRONG = 0.02;   /* of the cells on the wrong side of the best single split, at least */
static const double WRONG_BLOCKS = 0.05;

/* Medians, each of as many steps, and the side that each is on. */
struct row {
	const double *x;
	const uint8_t *side;
	size_t n;
	double steps; /* of one */
};

/* --- the path between two sides --- */

struct path {
	size_t count[2], lasting[2]; /* cells on each side, and those in runs that last */
	size_t switches;
	size_t split, wrong; /* the best single split, either way, and what it leaves on the wrong side */
};

static void find_split(const struct row *r, struct path *p)
{
	size_t upper = 0, n = r->n;

	p->wrong = p->count[1] < p->count[0] ? p->count[1] : p->count[0];
	p->split = 0;
	for (size_t i = 0; i < n; i++) {
		size_t rises, falls;

		upper += r->side[i];
		rises = upper + (p->count[0] - (i + 1 - upper)); /* lower before upper */
		falls = n - rises;
		if (fmin((double)rises, (double)falls) < (double)p->wrong) {
			p->wrong = rises < falls ? rises : falls;
			p->split = i + 1;
		}
	}
}

static struct path path_of(const struct row *r)
{
	size_t least = (size_t)ceil(RUN_STEPS / r->steps), end;
	struct path p = {.switches = 0};

	least = least < RUN_CELLS ? RUN_CELLS : least;
	for (size_t i = 0; i < r->n; i = end) {
		int side = r->side[i];

		for (end = i; end < r->n && r->side[end] == side; end++)
			;
		p.count[side] += end - i;
		p.lasting[side] += end - i >= least ? end - i : 0;
		p.switches += i > 0;
	}
	find_split(r, &p);
	return p;
}

/* Returns whether the run goes to and fro on the path, and stays for a while where it goes. */
static bool goes_to_and_fro(const struct row *r, const struct path *p, double wrong)
{
	return p->switches >= SWITCHES - (r->side[0] ? 1u : 0u) && VISIT * p->switches <= r->n &&
	       (double)p->wrong >= wrong * (double)r->n && 2 * p->lasting[0] >= p->count[0] && 2 * p->lasting[1] >= p->count[1];
}

static struct ts_levels levels_of(const struct row *r, const struct path *p, double lower, double upper)
{
	return (struct ts_levels){
		.found = true,
		.lower = lower,
		.upper = upper,
		.upper_share = (double)p->count[1] / (double)r->n,
		.switches = p->switches,
	};
}

/* --- in cells, by likelihood --- */

/* What the cells of visits have in common, beyond the level of their side. */
struct common {
	double square;	/* of all that is beyond */
	double between; /* of it, by the means of the visits */
	double trend;	/* of it, by one slope over a visit for each side */
	double slope;	/* the greater of the two, over a visit */
};

static struct common common_of(const struct row *r, const double level[2])
{
	double places[2] = {0, 0}, products[2] = {0, 0};
	struct common c = {.square = 0};

	for (size_t from = 0, to; from < r->n; from = to) {
		int side = r->side[from];
		double mean = 0, cells;

		for (to = from; to < r->n && r->side[to] == side; to++)
			mean += r->x[to] - level[side];
		cells = (double)(to - from);
		mean /= cells;
		c.between += cells * mean * mean;
		for (size_t i = from; i < to; i++) {
			double place = ((double)(i - from) + 0.5) / cells - 0.5, off = r->x[i] - level[side];

			c.square += off * off;
			places[side] += place * place;
			products[side] += place * off;
		}
	}
	for (int side = 0; side < 2; side++)
		if (places[side] > 0) {
			c.trend += products[side] * products[side] / places[side];
			c.slope = fmax(c.slope, fabs(products[side] / places[side]));
		}
	return c;
}

/* Returns whether the sides are levels: each visit of one is at the same, and neither rises nor falls. */
static bool are_levels(const struct row *r, const double level[2])
{
	struct common c = common_of(r, level);
	double apart = level[1] - level[0], spread = sqrt(c.between / (double)r->n);

	return !(spread > SPREAD * apart && c.between > BETWEEN * c.square) && !(c.slope > SLOPE * apart && c.trend > TREND * c.square);
}

/* Returns whether neighbours are more alike than those of white noise (von Neumann 1941). */
static bool depends(const double *x, size_t n)
{
	double mean = ts_mean(x, n), steps = 0, square = 0;

	for (size_t i = 0; i < n; i++) {
		square += (x[i] - mean) * (x[i] - mean);
		steps += i ? (x[i] - x[i - 1]) * (x[i] - x[i - 1]) : 0;
	}
	return square > 0 && isfinite(square) && steps / square < 2 - DEPENDENT * 2 / sqrt((double)n);
}

/* Computes the evidence for a change of the shape z, 0 where z is constant. */
static double evidence_of(const double *x, const double *z, size_t n)
{
	struct ts_wander found;
	bool varies = false;

	for (size_t i = 1; i < n; i++)
		varies |= z[i] < z[0] || z[i] > z[0];
	if (!varies)
		return 0;
	ts_wander_test(x, z, n, &found);
	return found.evidence;
}

static double height(const struct ts_levels_rise *rise, size_t at)
{
	if (at < rise->first || at >= rise->end)
		return 0;
	return at >= rise->last ? 1 : (double)(at - rise->first) / (double)(rise->last - rise->first);
}

/* Sets *out if two levels explain the cells, whose logarithms r holds, better than wandering and one change do. */
static enum ts_status by_likelihood(struct row *r, const size_t *at, const struct ts_levels_rise *rise, struct ts_arena *arena,
				    struct ts_levels *out, struct ts_error *err)
{
	double *z = ts_arena_array(arena, r->n, sizeof *z), change, depends_on, more;
	struct ts_switching s;
	struct path p;

	if (!z)
		return ts_arena_error(arena, err);
	if (ts_switching_fit(r->x, r->n, arena, &s, err))
		return err->status;
	r->side = s.side;
	p = path_of(r);
	if (!goes_to_and_fro(r, &p, WRONG) || !(s.level[1] > s.level[0] + CHANGE) || !are_levels(r, s.level))
		return TS_OK;
	if (ts_autoregression_likelihood(r->x, r->n, arena, &depends_on, err))
		return err->status;
	for (size_t i = 0; i < r->n; i++)
		z[i] = i >= p.split;
	change = evidence_of(r->x, z, r->n);
	for (size_t i = 0; rise && i < r->n; i++)
		z[i] = height(rise, at[i]);
	if (rise)
		change = fmax(change, evidence_of(r->x, z, r->n));
	more = s.likelihood - fmax(ts_wander_likelihood(r->x, r->n, NULL) + change, depends_on);
	if (more >= EVIDENCE)
		*out = levels_of(r, &p, exp(s.level[0]), exp(s.level[1]));
	out->possible = more >= POSSIBLE;
	return TS_OK;
}

/* --- in single blocks, where the levels are clear --- */

/* Splits the blocks at the middle of the medians of the two sides, until it stays; returns the middle. */
static double split(const double *x, size_t n, double *scratch, double level[2])
{
	double middle;

	level[0] = level[1] = x[0];
	for (size_t i = 0; i < n; i++) {
		level[0] = fmin(level[0], x[i]);
		level[1] = fmax(level[1], x[i]);
	}
	for (int round = 0; round < ROUNDS; round++) {
		size_t low = 0, high = n;

		middle = level[0] / 2 + level[1] / 2;
		for (size_t i = 0; i < n; i++)
			*(x[i] < middle ? &scratch[low++] : &scratch[--high]) = x[i];
		if (low == 0 || low == n)
			break;
		level[0] = ts_median(scratch, low, scratch);
		level[1] = ts_median(scratch + low, n - low, scratch + low);
	}
	return middle;
}

/* Returns the largest robust deviation of the blocks of a side from its level. */
static double within(const struct row *r, const double level[2], double *scratch)
{
	double most = 0;

	for (int k = 0; k < 2; k++) {
		size_t some = 0;

		for (size_t i = 0; i < r->n; i++)
			if (r->side[i] == k)
				scratch[some++] = fabs(r->x[i] - level[k]);
		most = fmax(most, some ? TS_MAD_TO_SD * ts_median(scratch, some, scratch) : 0);
	}
	return most;
}

static enum ts_status by_blocks(struct row *r, struct ts_arena *arena, struct ts_levels *out, struct ts_error *err)
{
	double *scratch = ts_arena_array(arena, r->n, sizeof *scratch), level[2], middle;
	uint8_t *side = ts_arena_array(arena, r->n, sizeof *side);
	struct path p;

	if (!scratch || !side)
		return ts_arena_error(arena, err);
	middle = split(r->x, r->n, scratch, level);
	for (size_t i = 0; i < r->n; i++)
		side[i] = r->x[i] >= middle;
	r->side = side;
	p = path_of(r);
	if (goes_to_and_fro(r, &p, WRONG_BLOCKS) && level[0] > 0 && level[1] > level[0] * (1 + CLEAR) &&
	    level[1] - level[0] > APART * within(r, level, scratch) && are_levels(r, level))
		*out = levels_of(r, &p, level[0], level[1]);
	return TS_OK;
}

/* --- the whole --- */

/* Averages the logarithms of the medians of the blocks in each cell; false if a median is not above 0. */
static bool average(const struct ts_spikes_fit *fit, size_t cells, double *x, size_t *at)
{
	size_t blocks = ts_spikes_blocks(fit), ignored;

	for (size_t k = 0; k < cells; k++) {
		size_t from = ts_block_start(blocks, cells, k), to = ts_block_start(blocks, cells, k + 1);

		x[k] = 0;
		for (size_t b = from; b < to; b++) {
			double median = ts_spikes_block(fit, b, b == from ? &at[k] : &ignored);

			if (!(median > 0))
				return false;
			x[k] += log(median) / (double)(to - from);
		}
	}
	return true;
}

/* Takes the logarithm of the median of each cell from the steps themselves. It is not finite for a cell without a time above 0, and
 * then depends() says no. */
static void take(const struct ts_series *s, size_t cells, double *x, size_t *at)
{
	for (size_t k = 0; k < cells; k++) {
		size_t to = ts_block_start(s->n, cells, k + 1), n = 0;
		double some[CELL_MOST];

		at[k] = ts_block_start(s->n, cells, k);
		for (size_t i = at[k]; i < to && n < CELL_MOST; i++)
			if (isfinite(s->values[i]))
				some[n++] = s->values[i];
		x[k] = n ? log(ts_median_few(some, n)) : (double)NAN;
	}
}

enum ts_status ts_levels_find(const struct ts_spikes_fit *fit, const struct ts_levels_rise *rise, struct ts_arena *arena,
			      struct ts_levels *ret_levels, struct ts_error *err)
{
	const struct ts_series *series = ts_spikes_series(fit);
	size_t blocks = ts_spikes_blocks(fit), n = series->n / CELL < CELLS ? series->n / CELL : CELLS;
	double *x = ts_arena_array(arena, blocks > CELLS ? blocks : CELLS, sizeof *x);
	size_t *at = ts_arena_array(arena, CELLS, sizeof *at);
	struct row r = {.x = x, .n = n, .steps = (double)series->n / (double)n};
	struct row single = {.x = x, .n = blocks, .steps = (double)series->n / (double)blocks};

	*ret_levels = (struct ts_levels){.found = false};
	if (!x || !at)
		return ts_arena_error(arena, err);
	if (n < CELLS_LEAST)
		return TS_OK;
	for (size_t b = 0; blocks > CELLS && b < blocks; b++)
		x[b] = ts_spikes_block(fit, b, &at[0]);
	if (blocks > CELLS && depends(x, blocks) && by_blocks(&single, arena, ret_levels, err))
		return err->status;
	if (ret_levels->found || (blocks > CELLS && !average(fit, n, x, at)))
		return TS_OK;
	if (blocks <= CELLS)
		take(series, n, x, at);
	return depends(x, n) ? by_likelihood(&r, at, rise, arena, ret_levels, err) : TS_OK;
}
