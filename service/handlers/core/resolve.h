/* resolve.h - resolves a spec, which is what a person types for a run, to the id of a head.
 *
 * A spec has a kind ("run:project/name", "tag:project/name", "branch:project/name", "id:HEX" with at least 4 digits), or none:
 * "project/name", which is searched among runs, tags, branches and (4 to 64 hex digits) prefixes of ids. More than one match is
 * TS_AMBIGUOUS, and the text lists the matches by their unambiguous spelling. No match is TS_NOT_FOUND, and the text suggests
 * the nearest names. A name that was typed without a project gets it from the client ("default/exp1"). The client sends a word
 * W that was typed without a kind as "?project/W", with the project it works in. This means the whole name W if W has a '/',
 * else W in that project, or an id with the prefix W.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_RESOLVE_H
#define TSCOPE_SERVICE_HANDLERS_CORE_RESOLVE_H

#include "store/engine.h"

struct ts_resolved {
	struct ts_id id;
	bool by_ref;
	struct ts_ref ref;
};

enum ts_status ts_resolve(struct ts_engine *engine, struct ts_span spec, struct ts_arena *arena,
			  struct ts_resolved *ret_resolved, struct ts_error *err);

/* Returns "project/" of "run:project/name" or "?project/name"; empty where the spec names no project. */
struct ts_span ts_spec_project(struct ts_span spec);

/* Checks a name: components [A-Za-z0-9][A-Za-z0-9._+-]* joined by '/', of which the first is the project; at most TS_NAME_MAX
 * bytes. */
enum ts_status ts_name_check(struct ts_span name, struct ts_error *err);

#endif
