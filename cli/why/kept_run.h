/* kept_run.h - runs of experiments, each in a folder whose name follows from all that the run is made of.
 *
 * So what was stopped goes on where it was: a run that has ended is not made again, one that was cut off is, and nothing has to be
 * written down beside FOLDER.done, which says how a run ended.
 *
 *	ts_kept_run_begin(&making, key, &recipe, &kept, err)	as often as is wanted: they are made side by side
 *	ts_kept_run_take(&making, key, &kept, err)		waits for the run of this key
 *	ts_kept_runs_end(&making)				ends those that are not needed any more
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
/* Appends the words of a command to what a run is made of, each with `before` in front: "" for those of the training, "by " for those
 * of its launcher. NULL: there are none. */
void ts_kept_run_words(struct ts_buf *text, const char *before, const char *const *words);
/* The run of this key, if it has ended; else the folder that it is to be made in. */
enum ts_status ts_kept_run_find(const char *directory, const char *key, struct ts_arena *arena, struct ts_kept_run *ret_kept,
				struct ts_error *err);
/* Forgets that a run has ended, so that it is made anew, in another folder: what it lacked may be here now. */
void ts_kept_run_forget(const struct ts_kept_run *kept, struct ts_arena *arena);

/* Runs that are made, and those that have ended since and were not taken. It begins with zeros but for what it is given. */
struct ts_kept_runs {
	struct ts_runner *runner;
	const char *clone;
	const char *const *files; /* of the clone, of which each run gets copies (launch/recipe.h); NULL: none */
	struct ts_arena *arena;
	struct ts_making *items;
	size_t n, cap;
};

/* Is the run of this key made here, or was it, and nobody took it yet? */
bool ts_kept_runs_has(const struct ts_kept_runs *runs, const char *key);
/* How many are being made. */
size_t ts_kept_runs_making(const struct ts_kept_runs *runs);
/* Begins the run in kept->folder, which recipe->folder is, too. */
enum ts_status ts_kept_run_begin(struct ts_kept_runs *runs, const char *key, const struct ts_recipe *recipe,
				 const struct ts_kept_run *kept, struct ts_error *err);
/* Waits for the run of a key that was begun, and notes of each that ends meanwhile how it ended. */
enum ts_status ts_kept_run_take(struct ts_kept_runs *runs, const char *key, struct ts_kept_run *ret_kept, struct ts_error *err);
/* Ends what is being made, and waits for that. Returns how many runs were begun here that nobody took. */
size_t ts_kept_runs_end(struct ts_kept_runs *runs);

#endif
