/* diff_outcomes.h - what two runs came to, from their reductions, which a cache keeps for gates as well. */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_OUTCOMES_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_OUTCOMES_H

#include "analysis/diverge/diff.h"
#include "service/handlers/core/read.h"

/* Sets the outcomes of a diff whose sides are described; of a run and itself there are none. Spans lie in the arena. */
enum ts_status ts_diff_outcomes(struct ts_fetch *f, const struct ts_id *a, const struct ts_id *b, struct ts_arena *arena,
				struct ts_diff *io_diff, struct ts_error *err);

/* TS_NO_MEMORY, by the indexes alone, if the call has no room for the outcomes of two runs that are open. */
enum ts_status ts_diff_outcomes_expect(struct ts_fetch *f, const struct ts_run *a, const struct ts_run *b, struct ts_arena *arena,
				       struct ts_error *err);

#endif
