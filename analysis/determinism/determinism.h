/* determinism.h - does a run repeat bit for bit, as far as its record and the catalog (hazards.h) can say?
 *
 *	ts_determinism_of(&record, &arena, &answer, err)
 *
 * It fails closed. A setting that is not recorded, an operation of another library, a torch that is newer than the catalog, a run
 * without a record of its operations: each is a row that is unproved, never one that is missing. A row is called idle only where a
 * fact says that it cannot act. So the answer is one of three: something is known to break it; nothing is, and something is unproved;
 * or all that the catalog knows is controlled. The last is still no proof of what no catalog knows, such as a program that reads the
 * clock: two runs are (ts_determinism_ran).
 * Pure. Threads: safe.
 */
#ifndef TSCOPE_ANALYSIS_DETERMINISM_DETERMINISM_H
#define TSCOPE_ANALYSIS_DETERMINISM_DETERMINISM_H

#include "analysis/answer/run_ref.h"
#include "analysis/determinism/hazards.h"
#include "run/fact.h"

enum { TS_DETERMINISM_KINDS = 4096 /* names of operations that are looked at */ };

/* What is recorded. */
struct ts_determinism_record {
	const struct ts_facts *facts; /* sorted */
	uint32_t world;		      /* 0: not known */
	const struct ts_span *ops;    /* names of its operations, each once; those that more_ops counts were left out */
	size_t n_ops;
	bool more_ops;
};

struct ts_determinism_row {
	struct ts_span name;
	enum ts_hazard_state state;
	bool elsewhere;			      /* it acts on another machine, and not between runs here: it decides nothing */
	struct ts_span recorded;	      /* the value, or which operations; empty: nothing */
	struct ts_span says;		      /* a clause */
	struct ts_span prevent, cost, source; /* empty: none is known */
};

/* Two short runs of one command. */
enum ts_determinism_runs {
	TS_RUNS_NONE = 0,
	TS_RUNS_EQUAL = 1, /* every common step has the same bits */
	TS_RUNS_DIFFER = 2,
	TS_RUNS_UNKNOWN = 3, /* they could not be made or compared */
};

struct ts_determinism {
	struct ts_run_ref run;
	struct ts_determinism_row *rows; /* those that decide before those that act elsewhere, and of each the worst first */
	size_t n;
	uint64_t breaks, unproved; /* rows that decide */
	uint64_t op_kinds;	   /* operations that were looked at */
	enum ts_determinism_runs ran;
	bool compared, parts;	   /* EQUAL; DIFFER: what follows is known */
	uint64_t steps, series;	   /* where compared: how much */
	int64_t first_step;	   /* where parts */
	struct ts_span first;	   /* DIFFER: the operation, or the series, in words; UNKNOWN: why */
	struct ts_span folders[2]; /* of the two runs; empty: none were made */
	struct ts_span sentence;
	int exit_code; /* 0, 1 or 3, as below */
};

/* Fills rows, counts, sentence and exit code: 1 where a row breaks, 3 where one is unproved, else 0. */
enum ts_status ts_determinism_of(const struct ts_determinism_record *record, struct ts_arena *arena, struct ts_determinism *ret,
				 struct ts_error *err);
/* Two runs were made: ran and what belongs to it are set. Sentence and exit code become: 1 they differ; 0 they are equal, and no row
 * breaks; else 3. */
enum ts_status ts_determinism_ran(struct ts_determinism *answer, struct ts_arena *arena, struct ts_error *err);

const char *ts_determinism_runs_word(enum ts_determinism_runs ran); /* "none", "equal", "differ", "unknown" */

#endif
