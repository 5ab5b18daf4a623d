/* recorder.h - what is behind struct tscope_run, for the files of this room alone.
 *
 * The thread of the steps owns `row` and lane 0. Any other call borrows one of the shared lanes for a moment (ts_run_borrow). All
 * that they write is memory (area.h), which the keeper copies into the file.
 */
#ifndef TSCOPE_RECORD_RECORDER_H
#define TSCOPE_RECORD_RECORDER_H

#include "record/lane.h"
#include "record/tick.h"
#include "record/tscope.h"

#include <pthread.h>

enum {
	TS_RUN_SHARED = 8, /* lanes for calls of any thread: more only help if more threads record at the very same time */
	TS_RUN_OTHER = 1,  /* the column `other` */
	TS_RUN_BETWEEN = 2,
	TS_RUN_STEP = 3,   /* the column `step` */
	TS_RUN_COLUMNS = TS_FRAME_COLUMNS_MAX + 1, /* from 1 */
};

/* What a step collects. A cell of column c is there if where[c] has the serial of this step; its low 16 bits say at which place. */
struct ts_row {
	bool open;	  /* between begin and end */
	uint64_t serial;
	int64_t step;	  /* open or ended; valid if either is */
	int64_t before;	  /* the step that ended before the open one */
	int64_t begin;
	int64_t last;	  /* up to where time was given to phases */
	int64_t end;	  /* of the step that ended last; valid if any */
	int64_t waited;	  /* since then, by tscope_add_ns */
	bool any;	  /* has ended */
	bool given_up;	  /* a step, whose number is next */
	int64_t next;
	uint64_t ended; /* steps that are recorded */
	uint32_t count;
	uint16_t columns[TS_RUN_COLUMNS];
	uint64_t values[TS_RUN_COLUMNS];
	uint64_t where[TS_RUN_COLUMNS];
};

struct ts_shared_lane {
	atomic_flag busy;
	struct ts_lane lane;
};

struct ts_column_table;
struct ts_occurrences;

struct tscope_run {
	_Atomic bool off; /* a child of fork: every call does nothing */
	_Atomic uint8_t kinds[UINT16_MAX + 1]; /* by column; 0: there is none */
	_Atomic int64_t step_open; /* TS_FRAME_NO_STEP: none */
	int64_t stop; /* the last step that is recorded; INT64_MAX: there is none */
	struct ts_lane steps;
	struct ts_row row;
	struct ts_occurrences *occurrences; /* of digests; made when the first comes */

	struct ts_area *area;
	int memory; /* the area's descriptor; -1: it has none */
	struct ts_companion *companion;
	struct ts_shared_lane shared[TS_RUN_SHARED];
	struct ts_column_table *columns;
	char *facts; /* all that were given */
	size_t facts_length;
	uint32_t facts_failed; /* times that the keeper could not write them, and that were told */
	pthread_mutex_t facts_lock;

	_Atomic uint64_t refused;
	_Atomic int trouble; /* 0 none, 1 somebody writes `first`, 2 it is there */
	char first[256];

	struct tscope_run *next; /* of all that are open */
};

static inline bool ts_run_live(const struct tscope_run *run)
{
	return run && !atomic_load_explicit(&run->off, memory_order_relaxed);
}

static inline enum tscope_kind ts_run_kind(const struct tscope_run *run, tscope_column column)
{
	return (enum tscope_kind)atomic_load_explicit(&run->kinds[column], memory_order_relaxed);
}

/* tscope_declare into a lane that the caller has. */
tscope_column ts_run_declare(struct tscope_run *run, struct ts_lane *lane, enum tscope_kind kind, const char *name);

/* shared_lane.c: the number of this thread among those that recorded, from 0. */
uint32_t ts_run_thread(void);
/* Adds a value to a step that may have ended, from any thread. */
void ts_run_late(struct tscope_run *run, int64_t step, tscope_column column, uint64_t bits);
struct ts_lane *ts_run_borrow(struct tscope_run *run);
void ts_run_return(struct ts_lane *lane);

/* A step behind the last one begins: ends the run, and the program. */
_Noreturn void ts_run_stop(struct tscope_run *run);

/* trouble.c: says something on standard error, in one line. */
void ts_run_say(const struct tscope_run *run, const char *what);
/* Notes what went wrong, the first time also on standard error. */
void ts_run_trouble(struct tscope_run *run, const char *what);
/* Says once that the recording has stopped, why, and how much is lost: the end finds it, and nobody can ask for that any more. */
void ts_run_stopped_at_end(struct tscope_run *run);
/* A frame found no room. */
void ts_run_lost(struct tscope_run *run);
/* A value was given to a column of another kind (0 is no column, and no trouble). */
void ts_run_refused(struct tscope_run *run, tscope_column column);

#endif
