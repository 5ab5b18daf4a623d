/* resume_pairs.h - what a resumed run and its parent, or two executions in one directory, recorded at the same steps.
 *
 * Only the trajectory is read: numbers and digests of the steps, of at most TS_RESUME_RANKS ranks. Of two runs the blocks
 * around the resume are opened, and the whole series of batch digests where one differs; of a restarted run the superseded
 * rows, and the final rows of the same steps. Arrays lie in the arena.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_RESUME_PAIRS_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_RESUME_PAIRS_H

#include "analysis/diverge/resume.h"
#include "service/handlers/core/read.h"

enum {
	TS_RESUME_RANKS = 64,
	TS_RESUME_ROWS = 4096,	 /* of the child, from the resume on: enough for a parent that logs seldom */
	TS_RESUME_RESTARTS = 64, /* the last ones of a directory */
};

/* e->step is known. Fills e->series, level, ranks_left_out. */
enum ts_status ts_resume_pair_runs(struct ts_fetch *f, const struct ts_run *parent, const struct ts_run *child,
				   struct ts_arena *arena, struct ts_resume_evidence *e, struct ts_error *err);

/* The restarts of a run, by segment: the first step that each executed, where some step was executed before. */
struct ts_restart {
	int64_t segment;
	int64_t step;
};

/* The last TS_RESUME_RESTARTS of them, ascending; *ret_all: how many there are. */
enum ts_status ts_resume_restarts(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena,
				  struct ts_restart **ret, size_t *ret_n, uint64_t *ret_all, struct ts_error *err);
/* What the segment executed again, against what was executed last before it. e->step is that of the restart. */
enum ts_status ts_resume_pair_restart(struct ts_fetch *f, const struct ts_run *run, struct ts_restart restart,
				      struct ts_arena *arena, struct ts_resume_evidence *e, struct ts_error *err);

#endif
