/* executions.h - to which execution of the training each row of a log belongs: the one idea of a restart that all readers share.
 *
 *	struct ts_executions x = {.any = false}
 *	for each row, in the order of the log:
 *		ts_executions_part(&x)				a further file begins, or a program that began later
 *		ts_executions_said(&x, step, place, err)	the log says that the training began again at this step
 *		ts_executions_row(&x, &row, err)		x.serial is the row's mark, row.step its step
 *	ts_executions_end(&x)
 *	ts_executions_of(&x, mark, step), ts_executions_superseded(&x, execution, step)
 *	ts_executions_finish(&x)
 *
 * The order in the log and the time decide. A row of a series that already has a value at a later step begins a further execution
 * at its step: the training was restarted, whether or not the writer says so. From that step on the rows of every execution before it
 * are superseded, also those that the last execution has not reached (yet). It is no restart
 *	- where the row has no value of such a series: one that is written late (an evaluation) goes into the rows of its steps
 *	- where the row's time lies before that of a row above it: a second program wrote at the same time, until a row lies above all
 *	  steps
 *	- where the log comes back above its highest step without half of the steps between: rows out of order, ranks that take turns;
 *	  and at the end of a log of which that was seen, by as many steps and rows
 *	- where row after row goes down: a log whose newest row stands first
 *	- where the epoch goes up and the steps begin again at the lowest of all: they are counted in each epoch, and go on behind those
 *	  of the epoch before
 * A step that comes again at once is the same row, but the first one of a further part begins an execution.
 *
 * Who calls says which series count: not an epoch, a time or another count of steps. Steps are integers of 64 bits, times Unix seconds.
 * Memory: 72 bytes a restart. Errors: TS_TOO_LARGE beyond TS_SEGMENTS_MAX executions, TS_NO_MEMORY. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_CORE_EXECUTIONS_H
#define TSCOPE_INGEST_CORE_EXECUTIONS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a further execution begins, or seems to. */
struct ts_execution {
	uint32_t mark;	    /* the rows from here on have this mark or a higher one */
	bool open, refused; /* nothing says yet whether it is one; it is none */
	int64_t from;	    /* its first step */
	int64_t most;	    /* the highest step before it, */
	int64_t covered;    /* and of those up to that one the highest that came again */
	int64_t after;	    /* the step of the row before it */
	uint64_t place;	    /* of its first row, as the caller counts */
	size_t below;	    /* the open one before it + 1; 0: none */
	uint64_t rows;
};

struct ts_executions {
	struct ts_execution *items; /* the second one and those behind it; after ts_executions_end those that are */
	size_t n, cap;
	size_t top; /* the last open one + 1 */
	uint32_t serial; /* the mark of the last row */
	bool any, fresh, beside;
	uint32_t falling; /* how many rows, up to the last one, began one after the other below each other */
	uint32_t refusals; /* how often what seemed to be an execution was none, */
	uint64_t deepest, longest; /* and by how many steps and for how many rows the log went back there at most */
	int64_t least, most, last; /* steps: of all rows, of this execution, of the last row */
	int64_t offset; /* of the steps of this epoch */
	double time, epoch; /* the latest; NaN: none */
};

struct ts_executions_row {
	int64_t step;
	double time, epoch; /* NaN: not known */
	bool again;	    /* ts_executions_again, of one of its series */
	uint64_t place;
};

/* The step of the run at which a row of that step lies. */
static inline int64_t ts_executions_step(const struct ts_executions *x, int64_t step)
{
	int64_t sum;

	return __builtin_add_overflow(step, x->offset, &sum) ? step : sum;
}

/* Whether a series whose last value of this execution lies at the step `last` of the run makes the next row one of a further
 * execution, if the row lies at `step` of the run. */
static inline bool ts_executions_again(const struct ts_executions *x, int64_t last, int64_t step)
{
	return last > step || (x->fresh && last == step && step == x->most);
}

void ts_executions_part(struct ts_executions *x);
enum ts_status ts_executions_said(struct ts_executions *x, int64_t step, uint64_t place, struct ts_error *err);
/* Takes the next row. Its step becomes that of the run: greater where steps are counted in each epoch. */
enum ts_status ts_executions_row(struct ts_executions *x, struct ts_executions_row *row, struct ts_error *err);
/* No further row comes. */
void ts_executions_end(struct ts_executions *x);
void ts_executions_finish(struct ts_executions *x);

/* After ts_executions_end: the execution, from 0, of a row with this mark at this step of the run. What comes late for a step before
 * those of its execution is of the one that had the step then. */
uint32_t ts_executions_of(const struct ts_executions *x, uint32_t mark, int64_t step);
/* Whether a later one began at this step or before it. Of one step there is one execution that none superseded. */
bool ts_executions_superseded(const struct ts_executions *x, uint32_t execution, int64_t step);

#endif
