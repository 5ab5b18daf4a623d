/* run_happenings.h - what a stored run recorded of things that happened at a time, on all ranks and of the job, for
 * analysis/answer/happening.h: its events without regions, and where its segments begin. */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_RUN_HAPPENINGS_H
#define TSCOPE_SERVICE_HANDLERS_CORE_RUN_HAPPENINGS_H

#include "analysis/answer/happening.h"
#include "service/handlers/core/read.h"

/* The run began at the first of what its facts, its steps and its events say. Of a rank the newest 262,144 events and regions are
 * read; all are counted. Rows lie in the arena; one rank at a time is in memory. */
enum ts_status ts_happenings_of_run(struct ts_fetch *f, const struct ts_run *run, struct ts_arena *arena,
				    struct ts_happenings *ret_happenings, struct ts_error *err);

#endif
