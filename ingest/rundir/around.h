/* around.h - the run in whose directory a file lies: one that somebody named by its own path says no facts, and its run does.
 *
 * A file belongs to the run in whose directory it lies, or in whose rank directory, or in a folder in one of these that is no run
 * itself: where kept.h finds it when the run is read. Threads: any.
 */
#ifndef TSCOPE_INGEST_RUNDIR_AROUND_H
#define TSCOPE_INGEST_RUNDIR_AROUND_H

#include "base/arena.h"
#include "run/fact.h"

/* Sets *ret_run to the directory of the run around the file, NULL without one, and *ret_facts to what its files say of the file's rank,
 * or of the run where the file is of no rank. TS_INVALID: facts that cannot be read. Everything lies in the arena. */
enum ts_status ts_facts_around(const char *file, struct ts_arena *arena, const char **ret_run, struct ts_facts *ret_facts,
			       struct ts_error *err);

#endif
