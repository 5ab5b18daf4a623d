/* launched.h - a folder of a run that tscope run started (docs/run.md), by launch.json and what lies beside it.
 */
#ifndef TSCOPE_INGEST_RUNDIR_LAUNCHED_H
#define TSCOPE_INGEST_RUNDIR_LAUNCHED_H

#include "run/fact.h"

/* Whether these facts of a folder, or of an export of it, say that tscope run started its run. */
bool ts_launched_says(const struct ts_facts *facts);
/* A launcher that was lost could not say the end: what it said at the beginning holds no longer. Then the last lines of the output that
 * it kept say it, if they do. facts: those of the folder, below top (base/below.h); they are sorted before and after. */
enum ts_status ts_launched_settle(const char *top, const char *directory, struct ts_arena *arena, struct ts_facts *facts,
				  struct ts_error *err);

#endif
