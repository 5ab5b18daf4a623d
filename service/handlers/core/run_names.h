/* run_names.h - the names of runs, listed once a call, and what is noted beside those of one run.
 *
 * Notes lie beside names and names are not indexed by what they point at: who asks for the notes of an id looks at all names.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_RUN_NAMES_H
#define TSCOPE_SERVICE_HANDLERS_CORE_RUN_NAMES_H

#include "service/handlers/core/handler.h"

struct ts_run_names {
	const struct ts_ref *refs; /* newest first */
	size_t n;
};

struct ts_run_notes {
	struct ts_span name; /* the name moved last; empty: none points at it */
	struct ts_span bad;  /* the note; empty: it is not marked */
	struct ts_span accepted;
	bool training; /* a state is "running" */
};

/* prefix "project/"; empty: of all projects. Lies in the arena. */
enum ts_status ts_run_names_load(const struct ts_call *call, struct ts_span prefix, struct ts_arena *arena,
				 struct ts_run_names *ret_names, struct ts_error *err);
enum ts_status ts_run_notes_of(const struct ts_call *call, const struct ts_run_names *names, const struct ts_id *id,
			       struct ts_arena *arena, struct ts_run_notes *ret_notes, struct ts_error *err);

#endif
