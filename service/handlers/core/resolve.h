/* resolve.h - what a name that a person typed, or a spec of a request, stands for: the one place that decides it.
 *
 * A word, typed in a project, stands for the first of these that there is:
 *	NAME			the run, tag or branch of this name in the project; a slash belongs to the name ("sweep/a")
 *	PROJECT/NAME		that of another project
 *	HEX			the run whose id begins so, with at least 4 digits
 *	the end of a name	exp23 is runs30/exp23, if nothing else ends so (ts_find_names only)
 * "tag:NAME" ("run:", "branch:") searches this kind alone, "project:PROJECT/NAME" that project, "id:HEX" ids. A word that is a name and
 * as many digits of another run's id as list shows (12) stands for both. More than one match is TS_AMBIGUOUS, and the text lists the
 * matches by their unambiguous spelling. No match is TS_NOT_FOUND, and the text suggests the nearest names.
 *
 * A spec is what requests name a run by: "run:project/name" (or "tag:", "branch:"), exactly that; "id:HEX"; "project/name" of any kind,
 * or HEX; and "?project/W", the word W typed in that project. A client asks FindNames what words are, says what it took by its end, and
 * sends specs that are exact.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_RESOLVE_H
#define TSCOPE_SERVICE_HANDLERS_CORE_RESOLVE_H

#include "proto/wire.h"
#include "service/handlers/core/handler.h"

struct ts_resolved {
	struct ts_id id;
	bool by_ref;
	struct ts_ref ref;
};

/* Resolves a spec to the id of a head. */
enum ts_status ts_resolve(struct ts_engine *engine, struct ts_span spec, struct ts_arena *arena,
			  struct ts_resolved *ret_resolved, struct ts_error *err);

/* Finds each word, and the reason for each that is not found, in the arena of the call. Costs a walk over the names of the project if
 * some word is not exactly a name. Fails only as the engine does. */
enum ts_status ts_find_names(const struct ts_call *call, const struct ts_find_request *request, struct ts_found_name *ret_names,
			     struct ts_error *err);

/* Returns "project/" of "run:project/name" or "?project/name"; empty where the spec names no project. */
struct ts_span ts_spec_project(struct ts_span spec);

/* Checks a name: components [A-Za-z0-9][A-Za-z0-9._+-]* joined by '/', of which the first is the project; at most TS_NAME_MAX
 * bytes. */
enum ts_status ts_name_check(struct ts_span name, struct ts_error *err);
/* The same of a name that is to be made: each character of it must show something. */
enum ts_status ts_name_new_check(struct ts_span name, struct ts_error *err);

#endif
