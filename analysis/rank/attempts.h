/* attempts.h - what the attempts of one training cost over all: the share of its wall time in which steps were made that count.
 *
 *	ts_attempts_measure(&rows, said, n, arena, &measures, err)
 *
 * An execution is a row of the analyzed rank, superseded or not. Its time is that since the end of the execution before it in its
 * attempt; of the first of an attempt what its phases took. Of each attempt, in the order of its number:
 *	startup		from its beginning to the beginning of its first step; all of it where it made none
 *	productive	the time of executions that count
 *	repeated	that of executions which a later attempt superseded
 *	unfinished	behind its last step: a step that was cut, and what ends a program
 *	gap		from its end to the beginning of the next one. Of a recording that nobody closed the end is the last thing
 *	that it
 *			recorded, so the time until it was killed is in the gap
 * They add up to wall, from the beginning of the first attempt to the end of the last. Where a training was restarted into one log,
 * whose segments do not say when they began, an attempt is a segment, and its startup is in the gap before it; that of the first is
 * not known.
 *
 * Group "efficiency", where there are several attempts: attempts/count, goodput (productive / wall), productive, repeated, startup,
 * unfinished, gaps, wall (s), repeated_steps; of each of the last TS_ATTEMPTS_TOLD, attempt K/at (its first step), steps (that it
 * executed), end (how it ended), checkpoint (from which it went on), changed (paths of facts that it says otherwise).
 */
#ifndef TSCOPE_ANALYSIS_RANK_ATTEMPTS_H
#define TSCOPE_ANALYSIS_RANK_ATTEMPTS_H

#include "analysis/answer/measure.h"

enum { TS_ATTEMPTS_TOLD = 64 };

/* One execution of a step. */
struct ts_executed {
	double end; /* Unix seconds */
	double own; /* what its phases of the host's clock took, s; NaN: not known */
	int64_t segment;
	bool superseded;
};

/* What is said of an attempt. */
struct ts_attempt_said {
	int64_t number;
	double began, ended; /* Unix seconds; NaN: not known */
	bool stepped;
	int64_t steps, first_step; /* if it stepped */
	struct ts_span end, checkpoint, changed; /* empty: nothing is said */
};

/* Executions may be in any order, and are sorted. said: the attempts in order; NULL with n 0: segments are the attempts. Adds nothing
 * where there is one attempt. */
enum ts_status ts_attempts_measure(struct ts_executed *rows, size_t n_rows, const struct ts_attempt_said *said, size_t n,
				   struct ts_arena *arena, struct ts_measures *measures, struct ts_error *err);

#endif
