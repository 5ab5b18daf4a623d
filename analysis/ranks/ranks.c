#include "analysis/ranks/ranks_internal.h"

#include "analysis/stats/stats.h"
#include "base/door.h"

enum {
	BLOCK = 32, /* steps that are transposed at once from rank by rank to step by step, so that they fit the nearest cache */
	CELLS_MIN = 64,
};

/* A time above this is a damaged number, and its square would be infinite. */
#define TIME_MAX 1e100

static enum ts_status track_begin(struct ts_rank_track *t, const struct ts_ranks *r, struct ts_arena *arena, struct ts_error *err)
{
	const struct ts_rank_steps *k = r->kept;

	t->on = true;
	t->cells = ts_arena_array(arena, r->n_ranks * k->n_cells, sizeof *t->cells);
	t->imbalance = ts_arena_array(arena, r->n_aligned, sizeof *t->imbalance);
	t->skew = ts_arena_array(arena, r->n_aligned, sizeof *t->skew);
	if (k->exact)
		t->own = ts_arena_alloc(arena, r->n_ranks * r->n_aligned * sizeof *t->own);
	return t->cells && t->imbalance && t->skew && (t->own || !k->exact) ? TS_OK : ts_arena_error(arena, err);
}

bool ts_ranks_hold(const struct ts_ranks *r)
{
	const struct ts_rank_steps *k = r->kept;

	for (size_t i = 1; i < r->n_ranks; i++)
		if (r->ranks[i - 1] >= r->ranks[i])
			return false;
	if (k->n > r->n_aligned || k->left_out > r->n_aligned - k->n || k->cell == 0 || k->cells > k->n_cells)
		return false;
	for (size_t i = 1; i < k->n; i++)
		if (k->steps[i - 1] >= k->steps[i])
			return false;
	return k->n_cells <= TS_RANKS_CELLS;
}

enum ts_status ts_ranks_begin(struct ts_ranks *r, const int32_t *ranks, size_t n_ranks, uint32_t world_size, size_t n_aligned,
			      struct ts_arena *arena, struct ts_error *err)
{
	struct ts_rank_steps *k = ts_arena_array(arena, 1, sizeof *k);
	size_t scratch = BLOCK * n_ranks, cells = TS_RANKS_CELLS;

	if (!k)
		return ts_arena_error(arena, err);
	*r = (struct ts_ranks){
		.arena = arena,
		.ranks = ranks,
		.n_ranks = n_ranks,
		.world_size = world_size,
		.n_aligned = n_aligned,
		.kept = k,
	};
	while (cells > CELLS_MIN && cells > TS_RANKS_EXACT / (n_ranks + 1)) /* with very many ranks fewer cells are kept */
		cells /= 2;
	k->cell = n_aligned / cells + (n_aligned % cells != 0);
	k->cell = k->cell ? k->cell : 1;
	k->n_cells = n_aligned / k->cell + (n_aligned % k->cell != 0);
	k->exact = n_ranks == 0 || n_aligned <= TS_RANKS_EXACT / n_ranks;
	r->sums = ts_arena_array(arena, n_ranks, sizeof *r->sums);
	k->steps = ts_arena_array(arena, n_aligned, sizeof *k->steps);
	k->s_own = ts_arena_array(arena, scratch, sizeof *k->s_own);
	k->s_comm = ts_arena_array(arena, scratch, sizeof *k->s_comm);
	k->s_backward = ts_arena_array(arena, scratch, sizeof *k->s_backward);
	k->s_select = ts_arena_array(arena, n_ranks, sizeof *k->s_select);
	if (!r->sums || !k->steps || !k->s_own || !k->s_comm || !k->s_backward || !k->s_select)
		return ts_arena_error(arena, err);
	return track_begin(&k->tracks[TS_TRACK_PLAIN], r, arena, err);
}

void ts_ranks_memory(struct ts_ranks *r, const struct ts_rank_memory *memory)
{
	r->memory = memory;
}

/* ---- one step ---- */

/* Returns the place of rank `rank` at block step `b` in the scratch. */
static size_t at(const struct ts_ranks *r, size_t b, size_t rank)
{
	return b * r->n_ranks + rank;
}

static double least(const double *x, size_t n)
{
	double v = x[0];

	for (size_t i = 1; i < n; i++)
		v = x[i] < v ? x[i] : v;
	return v;
}

static double largest(const double *x, size_t n)
{
	double v = x[0];

	for (size_t i = 1; i < n; i++)
		v = x[i] > v ? x[i] : v;
	return v;
}

static double mean_of(const double *x, size_t n)
{
	struct ts_tally sum = {0, 0};

	for (size_t i = 0; i < n; i++)
		ts_tally_add(&sum, x[i]);
	return ts_tally_value(&sum) / (double)n;
}

/* Computes all values of one track at one step; own[rank] is the rank's own time. */
static void track_step(struct ts_ranks *r, enum ts_rank_track_kind kind, const double *own)
{
	struct ts_rank_steps *k = r->kept;
	struct ts_rank_track *t = &k->tracks[kind];
	size_t n = r->n_ranks, i = k->n, cell = i / k->cell, slowest = 0;
	double mean = mean_of(own, n), square = 0, second = -INFINITY;

	for (size_t a = 0; a < n; a++) {
		double d = own[a] - mean;

		square += d * d;
		t->cells[a * k->n_cells + cell] += own[a];
		if (t->own)
			t->own[a * r->n_aligned + i] = own[a];
		ts_tally_add(&r->sums[a].own[kind], own[a]);
		if (own[a] > own[slowest]) {
			second = own[slowest];
			slowest = a;
		} else if (a != slowest && own[a] > second) {
			second = own[a];
		}
		k->s_select[a] = own[a];
	}
	t->imbalance[i] = mean > 0 ? sqrt(square / (double)n) / mean : 0;
	t->skew[i] = own[slowest] - ts_median_few(k->s_select, n);
	ts_tally_add(&t->lost, own[slowest] - mean);
	ts_tally_add(&t->longest, own[slowest]);
	r->sums[slowest].slowest[kind]++;
	if (n > 1)
		ts_tally_add(&r->sums[slowest].blame[kind], own[slowest] - second);
}

/* Adds sums of squares and products about the mean over ranks, of backward and of all time that is neither backward
 * nor comm. */
static void slope_step(struct ts_rank_steps *k, const double *own, const double *backward, size_t n)
{
	double mean_pre = (mean_of(own, n) - mean_of(backward, n)), mean_backward = mean_of(backward, n);

	for (size_t a = 0; a < n; a++) {
		double pre = own[a] - backward[a] - mean_pre, b = backward[a] - mean_backward;

		k->pre_square += pre * pre;
		k->pre_backward += pre * b;
		k->backward_square += b * b;
	}
}

/* Computes wall, transfer and wait of a step in both meanings; own is turned into that of the hidden track. */
static void step(struct ts_ranks *r, int64_t number, double *own, const double *comm, const double *backward)
{
	struct ts_rank_steps *k = r->kept;
	size_t n = r->n_ranks;
	double transfer = least(comm, n), max_comm = largest(comm, n), max_own = largest(own, n), wall = -INFINITY;

	k->steps[k->n] = number;
	for (size_t a = 0; a < n; a++) {
		double total = own[a] + comm[a];

		wall = total > wall ? total : wall;
		ts_tally_add(&r->sums[a].total, total);
		ts_tally_add(&r->sums[a].wait[TS_TRACK_PLAIN], comm[a] - transfer);
		if (k->total)
			k->total[a * r->n_aligned + k->n] = total;
	}
	ts_tally_add(&k->wall, wall);
	ts_tally_add(&k->transfer[TS_TRACK_PLAIN], transfer);
	ts_tally_add(&k->comm_max, max_own + max_comm > 0 ? max_comm / (max_own + max_comm) : 0);
	track_step(r, TS_TRACK_PLAIN, own);
	if (k->tracks[TS_TRACK_HIDDEN].on) {
		double work = least(backward, n);

		slope_step(k, own, backward, n);
		for (size_t a = 0; a < n; a++) {
			double wait = backward[a] - work;

			ts_tally_add(&r->sums[a].wait[TS_TRACK_HIDDEN], wait + comm[a] - transfer);
			own[a] -= wait;
		}
		track_step(r, TS_TRACK_HIDDEN, own);
	}
	k->n++;
}

/* ---- windows ---- */

/* Transposes steps [from, from + n) of a window into scratch; ok[b] is false where the time of some rank is not
 * valid. */
static void turn(struct ts_ranks *r, const struct ts_rank_window *w, size_t from, size_t n, bool *ok)
{
	struct ts_rank_steps *k = r->kept;

	for (size_t b = 0; b < n; b++)
		ok[b] = true;
	for (size_t a = 0; a < r->n_ranks; a++) {
		double own[BLOCK] = {0}, comm[BLOCK] = {0}, backward[BLOCK] = {0};

		for (int p = 0; p < TS_RANK_PHASES; p++) {
			const double *x = w->phases[a][p];
			double *sum = p == TS_RANK_COMM ? comm : own;

			for (size_t b = 0; x && b < n; b++)
				sum[b] += x[from + b];
			for (size_t b = 0; x && p == TS_RANK_BACKWARD && b < n; b++)
				backward[b] = x[from + b];
		}
		for (size_t b = 0; b < n; b++) {
			k->s_own[at(r, b, a)] = own[b];
			k->s_comm[at(r, b, a)] = comm[b];
			k->s_backward[at(r, b, a)] = backward[b];
			ok[b] &= fabs(own[b]) <= TIME_MAX && fabs(comm[b]) <= TIME_MAX && fabs(backward[b]) <= TIME_MAX;
		}
	}
}

/* Adds up the times of each phase over the counted steps of a block. */
static void sum_phases(struct ts_ranks *r, const struct ts_rank_window *w, size_t from, size_t n, const bool *ok)
{
	for (size_t a = 0; a < r->n_ranks; a++)
		for (int p = 0; p < TS_RANK_PHASES; p++) {
			const double *x = w->phases[a][p];

			r->sums[a].has[p] |= x != NULL;
			for (size_t b = 0; x && b < n; b++)
				if (ok[b])
					ts_tally_add(&r->sums[a].phases[p], x[from + b]);
		}
}

/* Total time equals own time until a rank has comm; only then total time gets its own array. */
static enum ts_status keep_total(struct ts_ranks *r, struct ts_error *err)
{
	struct ts_rank_steps *k = r->kept;
	const double *own = k->tracks[TS_TRACK_PLAIN].own;

	if (k->has_comm)
		return TS_OK;
	k->has_comm = true;
	if (!k->exact)
		return TS_OK;
	k->total = ts_arena_alloc(r->arena, r->n_ranks * r->n_aligned * sizeof *k->total);
	if (!k->total)
		return ts_arena_error(r->arena, err);
	for (size_t a = 0; k->n && a < r->n_ranks; a++)
		memcpy(k->total + a * r->n_aligned, own + a * r->n_aligned, k->n * sizeof *own);
	return TS_OK;
}

static enum ts_status tracks_of(struct ts_ranks *r, const struct ts_rank_window *w, struct ts_error *err)
{
	struct ts_rank_track *hidden = &r->kept->tracks[TS_TRACK_HIDDEN];
	size_t with_backward = 0;
	bool comm = false;

	for (size_t a = 0; a < r->n_ranks; a++) {
		with_backward += w->phases[a][TS_RANK_BACKWARD] != NULL;
		comm |= w->phases[a][TS_RANK_COMM] != NULL;
	}
	if (with_backward < r->n_ranks || r->n_ranks < 2)
		hidden->on = false;
	else if (r->kept->n == 0 && !hidden->on && track_begin(hidden, r, r->arena, err))
		return err->status;
	return comm ? keep_total(r, err) : TS_OK;
}

enum ts_status ts_ranks_window(struct ts_ranks *r, const struct ts_rank_window *w, struct ts_error *err)
{
	struct ts_rank_steps *k = r->kept;
	bool ok[BLOCK];

	TS_DOOR(ts_ranks_hold(r));
	if (r->n_ranks == 0 || w->n == 0)
		return TS_OK;
	if (w->n > r->n_aligned - k->n - k->left_out)
		return ts_error_set(err, TS_INTERNAL, "ranks: more than the %zu steps that were announced", r->n_aligned);
	if (tracks_of(r, w, err))
		return err->status;
	for (size_t from = 0; from < w->n; from += BLOCK) {
		size_t n = w->n - from < BLOCK ? w->n - from : BLOCK;

		turn(r, w, from, n, ok);
		sum_phases(r, w, from, n, ok);
		for (size_t b = 0; b < n; b++) {
			size_t row = at(r, b, 0);

			if (ok[b])
				step(r, w->steps[from + b], k->s_own + row, k->s_comm + row, k->s_backward + row);
			else
				k->left_out++;
		}
	}
	return TS_OK;
}
