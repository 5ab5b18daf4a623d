/* move.h - whether a series that a user logs left its level for good: any series, of which only the name may tell what is better.
 *
 * A series is lost if its last TS_MOVE_LOST_LEAST values or more, up to the end, are NaN or infinite, after finite ones. And its
 * finite values may end in a move of one kind, the first of these that holds:
 *
 *	jump	its level shifts from one value to the next (spikes.h) by enough, and the level at the end is no further
 *		from the new one than the shift was. Shifts at the steps in `excused`, where the learning rate changes, do not
 *		count, and neither do rises there if no name tells that they are for the worse
 *	left	all values from one on, six at least and at least as many as before it, are 1.5 times as far out as all
 *		values before it, and their median is twice as far out. This is for short series, of 8 to 256 values, only
 *		if it is for the worse, and only if fewer than one of 250 orders of the values would put the least ones
 *		first
 *	rise	it ends in a rise or in a fall (rise.h) by enough, to a level beyond 95 % of the values of as long a
 *		stretch before it
 *	drift	only if nothing is trained (`frozen`): the 95 % interval of its slope (slope.h) is without 0, and its
 *		last tenth is 1.5 times its first, or the other way round
 *
 * "By enough" is, if the level gets worse by the direction that the name tells, a tenth of the level before (half of it, with
 * fewer than 64 values); otherwise a factor of two. Where the levels before and after have different signs, or one is 0, it is
 * twice the largest magnitude that the series had before. If the direction is not known, a rise must begin in the last three
 * quarters, and from near its lowest level: what grows or shrinks from the begin on and settles, as an entropy, a divergence from
 * a reference or a length does, is no move. A rise to the better is none.
 *
 * A series that repeats its value in four of five places, or that never turns, is a setting, a counter or a schedule: it has no
 * move. tests/quality/quality_moves.c has the measured rates.
 */
#ifndef TSCOPE_ANALYSIS_RANK_MOVE_H
#define TSCOPE_ANALYSIS_RANK_MOVE_H

#include "analysis/answer/row_words.h"
#include "analysis/rank/spikes.h"
#include "run/direction.h"

enum { TS_MOVE_LOST_LEAST = 3 };

struct ts_move_about {
	enum ts_direction direction;
	bool frozen; /* the learning rate is 0 throughout */
	const int64_t *excused; /* steps at which the learning rate changes, ascending */
	size_t n_excused;
};

struct ts_move {
	enum ts_move_kind kind;
	int64_t from;	      /* the step at which it begins */
	double before, after; /* levels */
	bool worse;	      /* the name says that this is the wrong direction */
	bool lost;
	int64_t lost_from; /* the step of the first value that is NaN or infinite up to the end */
};

/* fit is that of the series, or NULL. TS_NO_MEMORY is the only error. */
enum ts_status ts_move_find(const struct ts_series *series, const struct ts_move_about *about, const struct ts_spikes_fit *fit,
			    struct ts_arena *arena, struct ts_move *ret_move, struct ts_error *err);
/* The steps at which a learning rate changes by a fifth or more from one value to the next; whether it is 0 throughout. */
enum ts_status ts_move_of_rate(const struct ts_series *rate, struct ts_arena *arena, struct ts_move_about *io_about,
			       struct ts_error *err);

#endif
