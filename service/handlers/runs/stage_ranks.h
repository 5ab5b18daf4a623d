/* stage_ranks.h - who staged which ranks of a run that is joined: each entry of a stage's log begins with the ranks that it brought.
 *
 *	"rank 3", "ranks 0-7, 16-23: from the second host"	as the message of an entry; a user's own text follows
 *	"joined from rank 0 by ada; ranks 1-3 by token:ci"	as the message of the run that they become
 *
 * A rank is its first stager's. An entry that an older version wrote names no ranks, and counts for all.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_RUNS_STAGE_RANKS_H
#define TSCOPE_SERVICE_HANDLERS_RUNS_STAGE_RANKS_H

#include "base/arena.h"
#include "run/head.h"
#include "store/engine.h"

/* The message of an entry that brings ranks, which ascend. text is the user's; it is cut where both do not fit. TS_TOO_LARGE if the
 * ranks alone do not. */
enum ts_status ts_stage_message(const struct ts_rank_ref *ranks, size_t n, struct ts_span text, struct ts_arena *arena,
				struct ts_span *ret_message, struct ts_error *err);
/* Who staged a rank first; empty if none of the entries, newest first, brought it. */
struct ts_span ts_stage_owner(const struct ts_log_entry *entries, size_t n, int32_t rank);
/* The message of a complete run: who brought which ranks, the last ones among them, and the user's text. */
enum ts_status ts_stage_joined(const struct ts_log_entry *entries, size_t n, struct ts_span last_by, struct ts_span last_message,
			       struct ts_span text, struct ts_arena *arena, struct ts_span *ret_message, struct ts_error *err);

#endif
