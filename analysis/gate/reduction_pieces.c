/* reduction_pieces.c - how much a run would scatter if it were shorter: the same reduction on pieces of it. */
#include "analysis/gate/reduction_internal.h"

#include <math.h>

enum { LEAST = 4, MOST = 64 /* pieces of one length that are looked at */ };

/* Computes the root mean square of n values, and the greatest of them. */
static double deviation(const double *x, size_t n, double *ret_most)
{
	double squares = 0;

	*ret_most = x[0];
	for (size_t i = 0; i < n; i++) {
		squares += x[i] * x[i];
		*ret_most = fmax(*ret_most, x[i]);
	}
	return sqrt(squares / (double)n);
}

/* Compares pieces of so many records, evenly spread over the run, with the whole run. */
static struct ts_reduced_piece look_at(size_t n, size_t length, ts_reduce_piece *reduce, void *ctx, const double *whole)
{
	double times[MOST], means[MOST];
	size_t pieces = n / length, taken = pieces < MOST ? pieces : MOST, known = 0;
	struct ts_reduced_piece piece = {.n = 0};

	for (size_t i = 0; i < taken; i++) {
		double time, mean;

		reduce(ctx, i * pieces / taken * length, length, &time, &mean);
		times[known] = log(time / whole[0]);
		means[known] = log(mean / whole[1]);
		known += isfinite(times[known]) && isfinite(means[known]);
	}
	if (known < LEAST)
		return piece;
	piece.n = known;
	piece.time_sd = deviation(times, known, &piece.time_most);
	piece.mean_sd = deviation(means, known, &piece.mean_most);
	return piece;
}

enum ts_status ts_reducer_pieces(size_t n, ts_reduce_piece *reduce, void *ctx, struct ts_arena *arena, struct ts_reduction *io,
				 struct ts_error *err)
{
	double whole[2];

	io->pieces = ts_arena_array(arena, TS_REDUCE_PIECES, sizeof *io->pieces);
	if (!io->pieces)
		return ts_arena_error(arena, err);
	reduce(ctx, 0, n, &whole[0], &whole[1]);
	for (size_t length = TS_REDUCE_WINDOW; io->n_pieces < TS_REDUCE_PIECES && n / length >= LEAST; length *= 2) {
		struct ts_reduced_piece piece = look_at(n, length, reduce, ctx, whole);

		if (!piece.n)
			return TS_OK;
		io->pieces[io->n_pieces++] = piece;
	}
	return TS_OK;
}
