/* companion.h - the keeper, as the training program sees it: a process of its own, which outlives training, or a thread where there
 * can be no such process.
 *
 *	ts_companion_start(&c, area, memory, program, err)	opens the recording that area->ask describes
 *	ts_companion_hurry(c, slot)				a lane, when slots are few
 *	ts_companion_sync(c, ms)				all that was recorded until now is in the file
 *	ts_companion_stop(c)					ends the recording
 *
 * Nothing here touches a file, and every wait has an end: TS_COMPANION_ANSWER_MS for opening, TS_COMPANION_END_MS for the end, and
 * for a slot TS_COMPANION_WAIT_US, at most once in a second.
 */
#ifndef TSCOPE_RECORD_COMPANION_H
#define TSCOPE_RECORD_COMPANION_H

#include "record/area.h"
#include "record/tscope.h"

enum { TS_COMPANION_ANSWER_MS = 10000, TS_COMPANION_END_MS = 5000, TS_COMPANION_WAIT_US = 1000 };

struct ts_companion;

/* `memory` is the descriptor of ts_area_create, or -1; `program` is the keeper's, or NULL. Where the keeper cannot be a process it is a
 * thread. On failure the area still belongs to the caller, unless *ret_kept says that a keeper which does not answer
 * has it. */
enum tscope_status ts_companion_start(struct ts_companion **ret_companion, struct ts_area *area, int memory, const char *program,
				      bool *ret_kept, struct tscope_error *err);
/* Wakes the keeper. With a slot returns it; without one gives memory to more, or waits a moment for one, and returns NULL if none
 * comes. Any thread. */
struct ts_slot *ts_companion_hurry(struct ts_companion *c, struct ts_slot *slot);
/* Returns whether it is so before `ms` are over. Any thread. */
bool ts_companion_sync(struct ts_companion *c, int ms);
/* Frees the companion. Returns whether the recording has ended, so that the area may be destroyed; *ret_died says that the keeper's
 * process was killed. */
bool ts_companion_stop(struct ts_companion *c, bool *ret_died);

#endif
