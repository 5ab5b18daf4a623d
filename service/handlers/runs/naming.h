/* naming.h - how a run's name moves: created, the same, to a run that extends the old one, or by force.
 *
 * The rule is decided against the name as it is read, and the engine's compare-and-set makes sure that it is still so; when
 * it is not, it is decided again (a writer beside us was faster).
 */
#ifndef TSCOPE_SERVICE_HANDLERS_RUNS_NAMING_H
#define TSCOPE_SERVICE_HANDLERS_RUNS_NAMING_H

#include "proto/wire.h"
#include "service/handlers/core/read.h"

struct ts_placing {
	struct ts_fetch *f;
	const struct ts_run *run; /* decoded whole */
	struct ts_span name; /* of TS_REF_RUN */
	enum ts_expect expect; /* of the caller */
	struct ts_id expected;
	bool force;
	struct ts_span branch; /* also gets the run; empty = none */
	const struct ts_ref *stage; /* goes in the same commit; NULL = none */
	struct ts_span summary;
	struct ts_span message;
};

struct ts_placed {
	enum ts_commit_outcome outcome;
	bool had_previous;
	struct ts_id previous;
	struct ts_ref ref; /* as it is now */
};

enum { TS_PLACE_TRIES = 32 }; /* writers that may overtake us before we say so */

/* TS_CONFLICT: the text says what the name points at, why the run does not extend it, and the ways out. *io_raced becomes
 * true when the conflict is with a writer beside us, and the stage has to be read again. */
enum ts_status ts_run_place(const struct ts_placing *p, struct ts_arena *arena, struct ts_placed *ret_placed,
			    bool *io_raced, struct ts_error *err);

/* The ref, or *ret_found = false. */
enum ts_status ts_ref_find(struct ts_engine *engine, enum ts_ref_kind kind, struct ts_span name, struct ts_arena *arena,
			   struct ts_ref *ret_ref, bool *ret_found, struct ts_error *err);
/* What the caller expected of a name holds, else TS_CONFLICT. current is NULL when there is no such name. */
enum ts_status ts_expectation(enum ts_expect expect, const struct ts_id *expected, const struct ts_ref *current,
			      struct ts_span name, struct ts_error *err);
/* One of the four words, or empty. */
enum ts_status ts_run_state_check(struct ts_span state, struct ts_error *err);

#endif
