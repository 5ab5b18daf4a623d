#include "analysis/ranks/straggler.h"

#include "analysis/ranks/straggler_blocks.h"
#include "analysis/ranks/straggler_burst.h"
#include "analysis/ranks/straggler_episode.h"
#include "analysis/ranks/straggler_level.h"
#include "analysis/stats/outlier.h"
#include "analysis/stats/permutation.h"
#include "analysis/stats/stats.h"

#include <math.h>
#include <string.h>

/* The ranks that are still compared, and what this round has computed for them. */
struct round {
	const struct ts_straggler_data *data;
	size_t *who, n; /* indexes into data */
	double *dev;	/* [n][n_cells] */
	double *clipped; /* [n][n_cells]: dev without values far from the rank's usual deviation */
	bool any_clipped;
	double *base;	/* [n]: sum of the others' medians */
	double *sums;	/* [n][blocks] */
	double *p, *q;	/* [n] */
	double *total;	/* [n]: sum of deviations */
	double *odd, *odd_clipped; /* [n]: the chance that the rank is such an outlier among the ranks */
	double *x, *d, *scratch; /* [n] */
	double *row;	/* [n_cells] */
	double *even;	/* [n][n_cells]: deviations relative to level */
	double *level;	/* [n_cells]: the median own time of the ranks */
};

void ts_deviations(const double *x, size_t n, double *scratch, double *deviation)
{
	size_t h = n / 2;
	double mid, below, above;

	/* A median of all ranks but one can only be one of the values around the middle. */
	memcpy(scratch, x, n * sizeof *x);
	mid = ts_nth(scratch, n, h);
	below = scratch[0];
	for (size_t i = 1; i < h; i++)
		below = scratch[i] > below ? scratch[i] : below;
	above = n % 2 ? scratch[h + 1] : mid;
	for (size_t i = h + 1; i < n; i++)
		above = scratch[i] < above ? scratch[i] : above;
	for (size_t i = 0; i < n; i++) {
		double others;

		if (n % 2 == 0)
			others = x[i] < mid ? mid : below;
		else if (x[i] < mid)
			others = mid + (above - mid) / 2;
		else
			others = below + ((x[i] > mid ? mid : above) - below) / 2;
		deviation[i] = x[i] - others;
	}
}

static void fill_deviations(struct round *o)
{
	size_t cells = o->data->n_cells;

	for (size_t i = 0; i < o->n; i++)
		o->base[i] = 0;
	for (size_t c = 0; c < cells; c++) {
		for (size_t i = 0; i < o->n; i++)
			o->x[i] = o->data->own[o->who[i] * o->data->stride + c];
		ts_deviations(o->x, o->n, o->scratch, o->d);
		memcpy(o->scratch, o->x, o->n * sizeof *o->x);
		o->level[c] = ts_median_few(o->scratch, o->n);
		for (size_t i = 0; i < o->n; i++) {
			o->dev[i * cells + c] = o->d[i];
			o->base[i] += o->x[i] - o->d[i];
		}
	}
}

/* Returns how far a value of x may lie from the median; 0 if most values are equal. out has room for n values. */
static double reach_of(const double *x, size_t n, double *out, double *scratch, double *ret_mid)
{
	*ret_mid = ts_median(x, n, scratch);
	for (size_t c = 0; c < n; c++)
		out[c] = fabs(x[c] - *ret_mid);
	return TS_BURST_FAR * ts_median(out, n, scratch);
}

/* Fills o->even: deviations relative to the level of their cell, so that what slows all ranks does not make noise uneven. */
static void fill_even(struct round *o)
{
	size_t cells = o->data->n_cells;

	for (size_t i = 0; i < o->n; i++)
		for (size_t c = 0; c < cells; c++)
			o->even[i * cells + c] = o->level[c] > 0 ? o->dev[i * cells + c] / o->level[c] : 0;
}

/* A pause of one rank in one step may outweigh all other deviations: it would hide a slow rank. */
static void fill_clipped(struct round *o)
{
	size_t cells = o->data->n_cells;

	o->any_clipped = false;
	for (size_t i = 0; i < o->n; i++) {
		const double *dev = o->dev + i * cells;
		double *out = o->clipped + i * cells, mid, reach = reach_of(dev, cells, out, o->row, &mid);

		for (size_t c = 0; c < cells; c++) {
			bool far = reach > 0 && fabs(dev[c] - mid) > reach;

			out[c] = !far ? dev[c] : dev[c] > mid ? mid + reach : mid - reach;
			o->any_clipped |= far;
		}
	}
}

static void fill_sums(struct round *o, const double *dev, const struct ts_straggler_blocks *blocks)
{
	size_t cells = o->data->n_cells;

	for (size_t i = 0; i < o->n; i++)
		for (size_t k = 0; k < blocks->n; k++) {
			const size_t *from = blocks->from + i * (blocks->n + 1) + k;
			double sum = 0;

			for (size_t c = from[0]; c < from[1]; c++)
				sum += dev[i * cells + c];
			o->sums[i * blocks->n + k] = sum;
		}
}

/* Ranks that each differ a little throughout the run look slow in every block, so only a rank that is an outlier
 * among them counts. With very few ranks an outlier cannot be recognized. */
static enum ts_status find_odd(struct round *o, const double *dev, double *odd, struct ts_arena *arena, struct ts_error *err)
{
	size_t cells = o->data->n_cells;

	for (size_t i = 0; i < o->n; i++) {
		o->x[i] = 0;
		odd[i] = 0;
		for (size_t c = 0; c < cells; c++)
			o->x[i] += dev[i * cells + c];
	}
	return o->n < TS_OUTLIERS_OF ? TS_OK : ts_outliers(o->x, o->n, arena, odd, err);
}

static enum ts_status find_all_odd(struct round *o, struct ts_arena *arena, struct ts_error *err)
{
	if (find_odd(o, o->clipped, o->odd_clipped, arena, err) || find_odd(o, o->dev, o->odd, arena, err))
		return err->status;
	for (size_t i = 0; i < o->n; i++) {
		o->total[i] = o->x[i];
		o->odd[i] = fmin(o->odd[i], o->odd_clipped[i]);
	}
	return TS_OK;
}

static enum ts_status round_begin(struct round *o, const struct ts_straggler_data *data, struct ts_arena *arena,
				  struct ts_error *err)
{
	size_t n = data->n_ranks;

	*o = (struct round){.data = data, .n = n};
	o->who = ts_arena_array(arena, n, sizeof *o->who);
	o->dev = n < SIZE_MAX / data->n_cells ? ts_arena_array(arena, n * data->n_cells, sizeof *o->dev) : NULL;
	o->base = ts_arena_array(arena, n, sizeof *o->base);
	o->sums = ts_arena_array(arena, n, TS_PERMUTATION_BLOCKS_MAX * sizeof *o->sums);
	o->clipped = n < SIZE_MAX / data->n_cells ? ts_arena_array(arena, n * data->n_cells, sizeof *o->clipped) : NULL;
	o->row = ts_arena_array(arena, data->n_cells, sizeof *o->row);
	o->level = ts_arena_array(arena, data->n_cells, sizeof *o->level);
	o->even = n < SIZE_MAX / data->n_cells ? ts_arena_array(arena, n * data->n_cells, sizeof *o->even) : NULL;
	o->p = ts_arena_array(arena, n, sizeof *o->p);
	o->q = ts_arena_array(arena, n, sizeof *o->q);
	o->odd_clipped = ts_arena_array(arena, n, sizeof *o->odd_clipped);
	o->total = ts_arena_array(arena, n, sizeof *o->total);
	o->odd = ts_arena_array(arena, n, sizeof *o->odd);
	o->x = ts_arena_array(arena, n, sizeof *o->x);
	o->d = ts_arena_array(arena, n, sizeof *o->d);
	o->scratch = ts_arena_array(arena, n, sizeof *o->scratch);
	if (!o->who || !o->dev || !o->clipped || !o->row || !o->level || !o->even || !o->base || !o->sums || !o->p ||
	    !o->q || !o->total || !o->odd || !o->odd_clipped || !o->x || !o->d || !o->scratch)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++)
		o->who[i] = i;
	return TS_OK;
}

/* Computes p-values of the sums. Where values were clipped, the smaller p-value of those with and without clipping
 * is taken and doubled. */
static enum ts_status find_p(struct round *o, const struct ts_straggler_blocks *blocks, struct ts_arena *arena,
			     struct ts_error *err)
{
	fill_sums(o, o->dev, blocks);
	if (ts_permutation_p(o->sums, o->n, blocks->n, arena, o->p, err))
		return err->status;
	if (o->any_clipped) {
		fill_sums(o, o->clipped, blocks);
		if (ts_permutation_p(o->sums, o->n, blocks->n, arena, o->q, err))
			return err->status;
		for (size_t i = 0; i < o->n; i++)
			o->p[i] = 2 * (o->p[i] < o->q[i] ? o->p[i] : o->q[i]);
	}
	return ts_holm(o->p, o->n, arena, err);
}

/* Computes deviations, block length and p-values of the ranks in the round; decidable says whether there are
 * p-values. */
static enum ts_status round_test(struct round *o, struct ts_arena *arena, struct ts_straggler_test *t, bool *ret_decidable,
				 struct ts_error *err)
{
	struct ts_straggler_blocks blocks;
	size_t needed;

	fill_deviations(o);
	fill_even(o);
	if (ts_straggler_blocks(o->even, o->n, o->data->n_cells, arena, o->clipped, &blocks, err))
		return err->status;
	fill_clipped(o);
	if (find_all_odd(o, arena, err))
		return err->status;
	needed = ts_permutation_blocks(o->n, TS_STRAGGLER_ALPHA / (o->any_clipped ? 2 : 1));
	if (t->n_named == 0) {
		t->block = blocks.length;
		t->blocks = blocks.n;
		t->blocks_needed = needed;
	}
	if (blocks.n < needed)
		return ts_straggler_levels(o->clipped, o->n, o->data->n_cells, o->base[0], TS_STRAGGLER_ALPHA, arena, o->p,
					   ret_decidable, err);
	*ret_decidable = true;
	return find_p(o, &blocks, arena, err);
}

/* A rank is named if it is also slow by enough to matter: by such a part of the limits. */
static bool matters(const struct round *o, const struct ts_straggler_rank *r, size_t who, double part)
{
	return r->slowdown >= part * TS_STRAGGLER_SLOW || (r->slowdown > 0 && o->data->saved[who] >= part * TS_STRAGGLER_SAVED);
}

/* Records the round and removes the ranks that it names; returns how many. */
static size_t round_name(struct round *o, struct ts_straggler_test *t)
{
	size_t kept = 0, n = o->n;

	for (size_t i = 0; i < n; i++) {
		size_t who = o->who[i];
		struct ts_straggler_rank *r = &t->ranks[who];

		r->slowdown = o->base[i] > 0 ? o->total[i] / o->base[i] : (double)NAN;
		r->p = o->p[i];
		r->named = r->p <= TS_STRAGGLER_ALPHA && o->odd[i] <= TS_STRAGGLER_ODD && matters(o, r, who, 1);
		if (r->named)
			t->n_named++;
		else
			o->who[kept++] = who;
	}
	o->n = kept;
	return n - kept;
}

/* Names the ranks that are slow for a part of the run, among those that are left. */
static enum ts_status name_episodes(struct round *o, struct ts_straggler_test *t, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_straggler_blocks blocks;
	size_t kept = 0, n = o->n;

	fill_deviations(o);
	fill_even(o);
	if (ts_straggler_blocks(o->even, n, o->data->n_cells, arena, o->clipped, &blocks, err) ||
	    ts_straggler_episodes(o->clipped, n, o->data->n_cells, blocks.burst, arena, o->q, err))
		return err->status;
	for (size_t i = 0; i < n; i++) {
		size_t who = o->who[i];
		struct ts_straggler_rank *r = &t->ranks[who];

		r->named = o->q[i] <= TS_STRAGGLER_EPISODE && t->n_named < o->data->n_ranks / 2 &&
			   matters(o, r, who, TS_STRAGGLER_PART);
		if (r->named) {
			r->p = o->q[i];
			t->n_named++;
		} else {
			o->who[kept++] = who;
		}
	}
	o->n = kept;
	return TS_OK;
}

/* The first rounds compared a slow rank with ranks that may be slow too; here it is compared with the ranks that are
 * not slow. */
static void hold_against_rest(struct round *o, struct ts_straggler_test *t)
{
	const struct ts_straggler_data *data = o->data;
	double base = 0;

	for (size_t a = 0; a < data->n_ranks; a++)
		if (t->ranks[a].named)
			t->ranks[a].slowdown = 0;
	for (size_t c = 0; c < data->n_cells; c++) {
		double usual;

		for (size_t i = 0; i < o->n; i++)
			o->x[i] = data->own[o->who[i] * data->stride + c];
		usual = ts_median_few(o->x, o->n);
		base += usual;
		for (size_t a = 0; a < data->n_ranks; a++)
			if (t->ranks[a].named)
				t->ranks[a].slowdown += data->own[a * data->stride + c] - usual;
	}
	for (size_t a = 0; a < data->n_ranks; a++)
		if (t->ranks[a].named)
			t->ranks[a].slowdown = base > 0 ? t->ranks[a].slowdown / base : (double)NAN;
}

enum ts_status ts_straggler_test(const struct ts_straggler_data *data, struct ts_arena *arena, struct ts_straggler_test *ret,
				 struct ts_error *err)
{
	struct ts_straggler_test t = {.n_named = 0};
	struct round o;
	bool decidable = true;

	t.ranks = ts_arena_array(arena, data->n_ranks, sizeof *t.ranks);
	if (!t.ranks)
		return ts_arena_error(arena, err);
	if (round_begin(&o, data, arena, err))
		return err->status;
	do {
		if (round_test(&o, arena, &t, &decidable, err))
			return err->status;
		if (t.n_named == 0)
			t.decidable = decidable;
		for (size_t i = 0; !decidable && t.n_named == 0 && i < o.n; i++)
			o.p[i] = (double)NAN;
		if (!decidable && t.n_named)
			break;
	} while (round_name(&o, &t) && o.n >= 2 && t.n_named < data->n_ranks / 2);
	if (o.n >= 2 && name_episodes(&o, &t, arena, err))
		return err->status;
	if (t.n_named)
		hold_against_rest(&o, &t);
	*ret = t;
	return TS_OK;
}
