/* sight.h - whether a caller who may not read every project may read a run of which it has only the id.
 *
 * It may if a name, tag or branch of a project that it reads has the run now or had it before (its log), or if it has sent the head
 * itself within the last few thousand pushes of this process. Each project that the caller may read is asked, and no other: so what
 * another project has costs what nobody has.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_SIGHT_H
#define TSCOPE_SERVICE_HANDLERS_CORE_SIGHT_H

#include "service/handlers/core/handler.h"

enum ts_status ts_sight_of(const struct ts_call *call, const struct ts_id *head, bool *ret_sees, struct ts_error *err);
/* The heads that it may read whose ids begin with hex, at most limit of them; what it sent itself by whole ids only. */
enum ts_status ts_sight_find(const struct ts_call *call, struct ts_span hex, size_t limit, struct ts_arena *arena,
			     struct ts_id **ret_ids, size_t *ret_n, struct ts_error *err);
/* Remembers that the caller sent the bytes of this head. Thread-safe. */
void ts_sight_note(const struct ts_identity *who, const struct ts_id *head);

#endif
