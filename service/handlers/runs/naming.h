/* naming.h - moves a run's name: it is created, stays the same, moves to a run that extends the old one, or moves by force.
 *
 * The decision rests on the name as it was read, and the engine's compare-and-set makes sure that the name is still the same.
 * If another writer was faster, the decision is made again.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_RUNS_NAMING_H
#define TSCOPE_SERVICE_HANDLERS_RUNS_NAMING_H

#include "proto/wire.h"
#include "service/handlers/core/read.h"

struct ts_placing {
	struct ts_fetch *f;
	const struct ts_run *run; /* the new run, with all indexes decoded */
	struct ts_span name; /* a name of kind TS_REF_RUN */
	enum ts_expect expect; /* what the caller expects of the name */
	struct ts_id expected;
	bool force;
	struct ts_span branch; /* a branch that also gets the run; empty = none */
	const struct ts_ref *stage; /* a staged run that the same commit removes; NULL = none */
	struct ts_span summary;
	struct ts_span message;
	const struct ts_note *note; /* written where the name moves; NULL = none */
};

struct ts_placed {
	enum ts_commit_outcome outcome;
	bool had_previous;
	struct ts_id previous;
	struct ts_ref ref; /* the name as it is now */
};

enum { TS_PLACE_TRIES = 32 }; /* how often other writers may be faster before the call fails */

/* TS_CONFLICT: the text says what the name points at, why the run does not extend it, and what the user can do. *io_raced becomes
 * true if the conflict is with another writer, and the stage has to be read again. */
enum ts_status ts_run_place(const struct ts_placing *p, struct ts_arena *arena, struct ts_placed *ret_placed,
			    bool *io_raced, struct ts_error *err);

/* Reads a ref; if there is none, *ret_found is false. */
enum ts_status ts_ref_find(struct ts_engine *engine, enum ts_ref_kind kind, struct ts_span name, struct ts_arena *arena,
			   struct ts_ref *ret_ref, bool *ret_found, struct ts_error *err);
/* TS_CONFLICT: the name is not as the caller expects. current is NULL if there is no such name. */
enum ts_status ts_expectation(enum ts_expect expect, const struct ts_id *expected, const struct ts_ref *current,
			      struct ts_span name, struct ts_error *err);
/* Checks that the state is "running", "finished", "crashed", "killed", "hung", "unknown" or empty. */
enum ts_status ts_run_state_check(struct ts_span state, struct ts_error *err);

#endif
