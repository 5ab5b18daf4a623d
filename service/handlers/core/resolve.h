/* resolve.h - from what a person types to the id of a head.
 *
 * A spec is "run:project/name", "tag:project/name", "branch:project/name", "id:HEX" (a prefix of at least 4 digits), or a bare
 * "project/name" or a name in the default project, which is looked for among runs, tags, branches and (4 to 64 hex digits) id
 * prefixes. More than one hit is TS_AMBIGUOUS and the text lists the candidates by their unambiguous spelling; none is
 * TS_NOT_FOUND and the text offers the nearest names. Bare names without a project get it from the client ("default/exp1"): the
 * cli fills it in before it asks. The client sends a word W typed without a kind as "?project/W", project being the one it
 * works in: W as a whole name where it has a '/', else W in that project, or id prefix W.
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

/* [A-Za-z0-9][A-Za-z0-9._+-]* components joined by '/', the first the project; at most TS_NAME_MAX bytes. */
enum ts_status ts_name_check(struct ts_span name, struct ts_error *err);

#endif
