/* extend.h - decides whether a run extends another one. Without force a name moves only to a run that extends its old one.
 *
 * A new run extends an old one if it has all data of the old one: every rank is still there, every column of its steps has the same
 * steps with the same bits, perhaps followed by more, or has them among the rows that a restart superseded, and every fact outside
 * session, parallelism and columns is the same. It may have further ranks, columns, facts and files. What a run is that has nothing
 * but files are its traces and snapshots, so each of those is still there, by its name, and says the same. Equal blocks are not
 * opened.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_RUNS_EXTEND_H
#define TSCOPE_SERVICE_HANDLERS_RUNS_EXTEND_H

#include "service/handlers/core/read.h"

enum { TS_EXTEND_REASON = 512 };

/* If new_run does not extend old_run, reason says why, as "rank 0 column scalars.loss differs at step 17"; else it is untouched. */
enum ts_status ts_run_extends(struct ts_fetch *f, const struct ts_run *old_run, const struct ts_run *new_run,
			      bool *ret_extends, char reason[TS_EXTEND_REASON], struct ts_error *err);

#endif
