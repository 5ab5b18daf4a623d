/* extend.h - does a run continue another? A name moves by itself only to a run that does.
 *
 * It does when nothing that the old one said is taken back: every rank is still there, every column of its steps has the
 * same steps with the same bits and then perhaps more, and every fact outside session, parallelism and columns is the same.
 * New ranks, columns, facts and files may come. Equal blocks are not opened.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_RUNS_EXTEND_H
#define TSCOPE_SERVICE_HANDLERS_RUNS_EXTEND_H

#include "service/handlers/core/read.h"

enum { TS_EXTEND_REASON = 512 };

/* reason says why not, as "rank 0 column scalars.loss differs at step 17"; untouched when it extends. */
enum ts_status ts_run_extends(struct ts_fetch *f, const struct ts_run *old_run, const struct ts_run *new_run,
			      bool *ret_extends, char reason[TS_EXTEND_REASON], struct ts_error *err);

#endif
