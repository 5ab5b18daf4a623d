/* run_ending.h - how a stored run ended (run/ending.h): by the facts of its ranks and by their last events.
 *
 * Of each rank the last block of events is read, up to 65,536 of them: what ended a run stands there.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_RUN_ENDING_H
#define TSCOPE_SERVICE_HANDLERS_CORE_RUN_ENDING_H

#include "run/ending.h"
#include "service/handlers/core/read.h"

/* Texts lie in the arena. */
enum ts_status ts_run_ending(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena, struct ts_ending *ret_ending,
			     struct ts_error *err);

/* Where a run that is pushed while it goes on was not heard of for long: by when its name moved last, and the clock of now. It is never
 * stored. ref: the name that it was asked for by; NULL where it was by its id: then that of its names counts which moved last, and
 * nothing changes where it has none. */
enum ts_status ts_run_lose(const struct ts_call *call, const struct ts_run *run, const struct ts_ref *ref, struct ts_arena *arena,
			   struct ts_ending *ending, struct ts_error *err);

#endif
