/* kept_run.h - runs of experiments, each in a folder whose name follows from all that the run is made of.
 *
 * So what was stopped goes on where it was: a run that has ended is not made again, one that was cut off is, and nothing has to be
 * written down beside FOLDER.done, which says how a run ended.
 */
#ifndef TSCOPE_CLI_WHY_KEPT_RUN_H
#define TSCOPE_CLI_WHY_KEPT_RUN_H

#include "base/buf.h"
#include "launch/runner.h"

enum { TS_KEPT_RUN_KEY = 16, TS_KEPT_RUN_KEY_TEXT = 1 << 20 };

struct ts_kept_run {
	const char *folder;  /* absolute, of the run */
	const char *problem; /* why it could not be run, with the last line that it printed; NULL: it ran */
	double seconds;	     /* of the command; 0 where it is from before */
	bool there;	     /* it was made before */
};

/* The key of all that a run is made of, as text, which is freed. TS_TOO_LARGE: it is longer than its buffer allows. */
enum ts_status ts_kept_run_key(struct ts_buf *text, char ret_key[TS_KEPT_RUN_KEY + 1], struct ts_error *err);
/* The run of this key, if it has ended; else the folder that it is to be made in. */
enum ts_status ts_kept_run_find(const char *directory, const char *key, struct ts_arena *arena, struct ts_kept_run *ret_kept,
				struct ts_error *err);
/* Forgets that a run has ended, so that it is made anew, in another folder: what it lacked may be here now. */
void ts_kept_run_forget(const struct ts_kept_run *kept, struct ts_arena *arena);
/* Makes the run in kept->folder, waits for it, and notes how it ended. recipe->folder is that folder. */
enum ts_status ts_kept_run_make(struct ts_runner *runner, const char *clone, const struct ts_recipe *recipe, struct ts_arena *arena,
				struct ts_kept_run *kept, struct ts_error *err);

#endif
