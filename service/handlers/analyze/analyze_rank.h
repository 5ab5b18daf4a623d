/* analyze_rank.h - runs the analyses of one rank: its timing, memory and losses, and events in several of these at once.
 *
 * The first step that counts is declared (--warmup) or found in the step times. A warm-up that was found is left out of times
 * and of the growth of memory, but not of peaks and losses.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_RANK_H
#define TSCOPE_SERVICE_HANDLERS_ANALYZE_ANALYZE_RANK_H

#include "analysis/rank/work.h"
#include "proto/wire.h"
#include "service/handlers/analyze/analyze_columns.h"
#include "service/handlers/analyze/analyze_notes.h"

struct ts_rank_analysis {
	struct ts_fetch *fetch;
	const struct ts_run *run;
	const struct ts_index *index; /* the index of the rank */
	const struct ts_analyze_request *request;
	const struct ts_work *work; /* of the run, by its facts and the request */
	struct ts_arena *arena; /* holds the result */
	struct ts_analysis *out;
	struct ts_notes *notes; /* NULL: only what the rank itself recorded is analyzed */
	/* Results. */
	int64_t first_timed; /* the first step whose time counts, as declared or found */
	/* The rows and events from series of other ranks, from .. to. */
	struct {
		size_t measures, events;
	} from, to;
};

/* Finds the first step of a rank that follows its first `warmup` distinct steps, counted over all its columns: INT64_MIN if
 * warmup is 0, INT64_MAX if no step is left. *ret_cut is the number of steps before it. The steps lie in the arena. */
enum ts_status ts_rank_first_step(struct ts_fetch *f, const struct ts_index *index, uint64_t warmup, struct ts_arena *work,
				  int64_t *ret_first, size_t *ret_cut, struct ts_error *err);
/* Appends rows, events and plots to a->out. With notes, series that only other ranks recorded are taken too, and noted. */
enum ts_status ts_analyze_rank(struct ts_rank_analysis *a, struct ts_error *err);
/* Keeps the rows and events that the rank itself recorded, for the rules. Their texts are copied to the arena. */
enum ts_status ts_analyze_own_rows(const struct ts_rank_analysis *a, struct ts_arena *arena, struct ts_rank_rows *ret_rows,
				   struct ts_error *err);

#endif
