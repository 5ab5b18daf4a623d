/* reduction_ranks.c - the part of a reduction that needs all ranks at once: what the slowest rank of each step did,
 * and what each rank worked and waited.
 *
 * Whether the collective hides in backward is known at the end (ranks.h), so that the slowest rank is looked for on two
 * tracks.
 */
#include "analysis/gate/reduction_internal.h"

#include "analysis/stats/stats.h"

struct ts_reducer_ranks {
	struct ts_arena *arena; /* for working memory */
	const int32_t *ranks;
	size_t n_ranks;
	const struct ts_span *names;
	size_t n_names;
	size_t comm, backward;	    /* indexes into the names; n_names: there is no such phase */
	enum ts_rank_phase *phases; /* the phase of each name */
	struct ts_ranks sums;
	struct ts_tally (*parts)[TS_TRACKS]; /* seconds of each name */
	size_t rows;
	/* The arrays of one window, each with room for `room` rows. */
	size_t room;
	double *other; /* of each rank: the sum of phases for which ranks.h has no name */
	bool *ok;
	double *least; /* the least backward of any rank */
	double *own[TS_TRACKS];
	size_t *slowest[TS_TRACKS];
	struct ts_arena window;
};

enum ts_status ts_reducer_ranks(struct ts_reducer *r, const int32_t *ranks, size_t n_ranks, const struct ts_span *names, size_t n_names,
				size_t n_rows, struct ts_arena *arena, struct ts_error *err)
{
	struct ts_reducer_ranks *k = ts_arena_array(r->arena, 1, sizeof *k);

	if (n_names >= TS_REDUCE_PARTS_MAX || n_ranks > TS_REDUCE_RANKS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "%zu phases of %zu ranks, of at most %d and %d", n_names, n_ranks,
				    TS_REDUCE_PARTS_MAX - 1, TS_REDUCE_RANKS_MAX);
	if (!k)
		return ts_arena_error(r->arena, err);
	*k = (struct ts_reducer_ranks){.arena = arena, .ranks = ranks, .n_ranks = n_ranks, .names = names, .n_names = n_names};
	k->phases = ts_arena_array(r->arena, n_names, sizeof *k->phases);
	k->parts = ts_arena_array(r->arena, n_names, sizeof *k->parts);
	if (!k->phases || !k->parts)
		return ts_arena_error(r->arena, err);
	k->comm = k->backward = n_names;
	for (size_t i = 0; i < n_names; i++) {
		k->phases[i] = ts_rank_phase_of(names[i]);
		if (k->phases[i] == TS_RANK_COMM)
			k->comm = i;
		if (k->phases[i] == TS_RANK_BACKWARD)
			k->backward = i;
	}
	if (ts_ranks_begin(&k->sums, ranks, n_ranks, 0, n_ranks > 1 ? n_rows : 0, arena, err))
		return err->status;
	r->ranks = k;
	return TS_OK;
}

static enum ts_status make_room(struct ts_reducer_ranks *k, size_t rows, struct ts_error *err)
{
	struct ts_arena *arena = k->arena;

	if (rows <= k->room)
		return TS_OK;
	k->other = ts_arena_array(arena, rows, k->n_ranks * sizeof *k->other);
	k->ok = ts_arena_array(arena, rows, sizeof *k->ok);
	k->least = ts_arena_array(arena, rows, sizeof *k->least);
	for (int t = 0; t < TS_TRACKS; t++) {
		k->own[t] = ts_arena_array(arena, rows, sizeof *k->own[t]);
		k->slowest[t] = ts_arena_array(arena, rows, sizeof *k->slowest[t]);
		if (!k->own[t] || !k->slowest[t])
			return ts_arena_error(arena, err);
	}
	if (!k->other || !k->ok || !k->least)
		return ts_arena_error(arena, err);
	k->room = rows;
	return TS_OK;
}

static const double *seconds_of(const struct ts_reducer_ranks *k, const struct ts_reduce_window *w, size_t rank, size_t name)
{
	return name < k->n_names ? w->seconds[rank * k->n_names + name] : NULL;
}

/* Leaves out steps with an invalid time; computes the least backward of any rank in the others. */
static void look_over(struct ts_reducer_ranks *k, const struct ts_reduce_window *w)
{
	for (size_t i = 0; i < w->n; i++) {
		k->ok[i] = true;
		k->least[i] = HUGE_VAL;
		for (int t = 0; t < TS_TRACKS; t++)
			k->own[t][i] = -HUGE_VAL;
	}
	for (size_t a = 0; a < k->n_ranks; a++) {
		const double *backward = seconds_of(k, w, a, k->backward);

		for (size_t p = 0; p < k->n_names; p++) {
			const double *x = seconds_of(k, w, a, p);

			for (size_t i = 0; x && i < w->n; i++)
				k->ok[i] &= isfinite(x[i]);
		}
		for (size_t i = 0; i < w->n; i++) {
			double v = backward ? backward[i] : 0;

			k->least[i] = v < k->least[i] ? v : k->least[i];
		}
	}
}

/* Finds the rank whose own time is the longest: without comm, and on the hidden track without the part of backward
 * above the least. */
static void find_slowest(struct ts_reducer_ranks *k, const struct ts_reduce_window *w, double *own)
{
	for (size_t a = 0; a < k->n_ranks; a++) {
		const double *backward = seconds_of(k, w, a, k->backward);

		memset(own, 0, w->n * sizeof *own);
		for (size_t p = 0; p < k->n_names; p++) {
			const double *x = p == k->comm ? NULL : seconds_of(k, w, a, p);

			for (size_t i = 0; x && i < w->n; i++)
				own[i] += x[i];
		}
		for (size_t i = 0; i < w->n; i++) {
			double times[TS_TRACKS] = {own[i], own[i] - (backward ? backward[i] - k->least[i] : 0)};

			for (int t = 0; t < TS_TRACKS; t++)
				if (times[t] > k->own[t][i]) {
					k->own[t][i] = times[t];
					k->slowest[t][i] = a;
				}
		}
	}
}

static void add_parts(struct ts_reducer_ranks *k, const struct ts_reduce_window *w)
{
	for (size_t i = 0; i < w->n; i++) {
		if (!k->ok[i])
			continue;
		k->rows++;
		for (int t = 0; t < TS_TRACKS; t++)
			for (size_t p = 0; p < k->n_names; p++) {
				const double *x = seconds_of(k, w, k->slowest[t][i], p);

				if (x)
					ts_tally_add(&k->parts[p][t], x[i]);
			}
	}
}

/* Passes on the same window with the names of ranks.h; phases without such a name are added up. */
static enum ts_status feed_ranks(struct ts_reducer_ranks *k, const struct ts_reduce_window *w, struct ts_error *err)
{
	const double *(*phases)[TS_RANK_PHASES] = ts_arena_array(&k->window, k->n_ranks, sizeof *phases);
	struct ts_rank_window window = {.steps = w->steps, .n = w->n};

	if (!phases)
		return ts_arena_error(&k->window, err);
	for (size_t a = 0; a < k->n_ranks; a++) {
		double *other = k->other + a * k->room;
		bool summed = false;

		for (size_t p = 0; p < k->n_names; p++) {
			const double *x = seconds_of(k, w, a, p), **to = &phases[a][k->phases[p]];

			if (!x)
				continue;
			if (!*to) {
				*to = x;
				continue;
			}
			if (!summed)
				memcpy(other, *to, w->n * sizeof *other);
			summed = true;
			for (size_t i = 0; i < w->n; i++)
				other[i] += x[i];
			*to = other;
		}
	}
	window.phases = (const double *const(*)[TS_RANK_PHASES])phases;
	return ts_ranks_window(&k->sums, &window, err);
}

enum ts_status ts_reducer_window(struct ts_reducer *r, const struct ts_reduce_window *w, struct ts_error *err)
{
	struct ts_reducer_ranks *k = r->ranks;
	enum ts_status status;

	if (w->n == 0 || k->n_ranks == 0)
		return TS_OK;
	if (make_room(k, w->n, err))
		return err->status;
	look_over(k, w);
	find_slowest(k, w, k->other);
	add_parts(k, w);
	if (k->n_ranks == 1)
		return TS_OK; /* no rank waits, and all of its time is in the parts */
	ts_arena_init(&k->window, r->arena->ceiling);
	status = feed_ranks(k, w, err);
	ts_arena_finish(&k->window);
	return status;
}

static enum ts_status name_parts(const struct ts_reducer *r, enum ts_rank_track_kind track, struct ts_reduction *io,
				 struct ts_error *err)
{
	const struct ts_reducer_ranks *k = r->ranks;
	struct ts_tally left = {0, 0};

	io->parts = ts_arena_array(r->arena, k->n_names + 1, sizeof *io->parts);
	if (!io->parts)
		return ts_arena_error(r->arena, err);
	ts_tally_add(&left, ts_sum(r->wall, r->n_steps) / ts_sum(r->span, r->n_steps) * io->accumulation);
	for (size_t p = 0; p < k->n_names; p++) {
		double seconds = ts_tally_value(&k->parts[p][track]) / (double)k->rows * io->accumulation;

		io->parts[io->n_parts++] = (struct ts_reduced_part){.name = k->names[p], .seconds = seconds};
		ts_tally_add(&left, -seconds);
	}
	if (r->stamped)
		io->parts[io->n_parts++] =
			(struct ts_reduced_part){.name = ts_span_str("unattributed"), .seconds = ts_tally_value(&left)};
	return TS_OK;
}

/* With a single rank, or without any comm, the wait cannot be known. */
static enum ts_status name_ranks(const struct ts_reducer *r, enum ts_rank_track_kind track, struct ts_reduction *io,
				 struct ts_error *err)
{
	const struct ts_reducer_ranks *k = r->ranks;
	bool tells = k->n_ranks > 1 && (track == TS_TRACK_HIDDEN || k->sums.kept->has_comm);
	double steps = (double)k->sums.kept->n;

	io->ranks = ts_arena_array(r->arena, k->n_ranks, sizeof *io->ranks);
	if (!io->ranks)
		return ts_arena_error(r->arena, err);
	if (k->n_ranks == 1) {
		io->ranks[io->n_ranks++] = (struct ts_reduced_rank){.rank = k->ranks[0], .wait = (double)NAN};
		for (size_t p = 0; p < k->n_names; p++)
			io->ranks[0].work += io->parts[p].seconds;
		return TS_OK;
	}
	for (size_t a = 0; a < k->n_ranks; a++) {
		double wait = tells ? ts_tally_value(&k->sums.sums[a].wait[track]) : 0;

		io->ranks[io->n_ranks++] = (struct ts_reduced_rank){
			.rank = k->ranks[a],
			.work = (ts_tally_value(&k->sums.sums[a].total) - wait) / steps * io->accumulation,
			.wait = tells ? wait / steps * io->accumulation : (double)NAN,
		};
	}
	return TS_OK;
}

enum ts_status ts_reducer_parts(struct ts_reducer *r, struct ts_reduction *io, struct ts_error *err)
{
	enum ts_rank_track_kind track;

	if (!r->ranks || r->ranks->rows == 0 || (r->ranks->n_ranks > 1 && r->ranks->sums.kept->n == 0))
		return TS_OK;
	track = ts_ranks_track(&r->ranks->sums);
	return name_parts(r, track, io, err) ? err->status : name_ranks(r, track, io, err);
}
