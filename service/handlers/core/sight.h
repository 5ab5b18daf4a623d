/* sight.h - what a caller who may not read every project may know of the objects of the store, of which it has only ids.
 *
 * It may know a run if a name, tag or branch of a project that it reads has it now or had it before (its log), and an object that such
 * a run reaches, or that it has sent itself. To send an object shows that one has its bytes, not what it refers to: so before a run
 * that was only sent gets a name or is read, each of its objects is held to the same (ts_sight_prove). Each project that the caller
 * may read is asked, and no other: what another project has costs what nobody has.
 *
 * Threads: as the engine.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_SIGHT_H
#define TSCOPE_SERVICE_HANDLERS_CORE_SIGHT_H

#include "service/handlers/core/handler.h"

/* Writes the projects that the caller may read, sorted, of which one may be there twice. Returns how many. */
size_t ts_sight_projects(const struct ts_call *call, struct ts_span ret_projects[TS_GRANTS_MAX]);
/* Sets ret_known[i] to whether the caller may know ids[i], and *ret_leased to whether the leases of all these hold, if anybody
 * asks for them (else NULL). */
enum ts_status ts_sight_known(const struct ts_call *call, const struct ts_id *ids, size_t n, bool *ret_known, bool *ret_leased,
			      struct ts_error *err);
/* The same of what the caller may write: what it has sent, and what the projects reach into which it may push. A lease keeps an
 * object from gc, so nobody renews one of anything else. */
enum ts_status ts_sight_writable(const struct ts_call *call, const struct ts_id *ids, size_t n, bool *ret_writable, bool *ret_leased,
				 struct ts_error *err);
/* Whether the caller may know the whole closure of an object; TS_NOT_FOUND names the first part that is not there or is hidden. */
enum ts_status ts_sight_prove(const struct ts_call *call, const struct ts_id *id, struct ts_error *err);
/* The heads that it may read whose ids begin with hex, at most limit of them; those that it has only sent by whole ids. */
enum ts_status ts_sight_find(const struct ts_call *call, struct ts_span hex, size_t limit, struct ts_arena *arena,
			     struct ts_id **ret_ids, size_t *ret_n, struct ts_error *err);

#endif
