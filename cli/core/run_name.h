/* run_name.h - which name a run gets from the place where it lies.
 *
 * The name is the path of the run below the folder that collects runs: the nearest folder above it that has a usual name of such
 * folders ("runs", "wandb", "mlruns"), or in which a .git or a .tscope lies; without such a folder, it is the last part of the path.
 * So it depends on where the run lies, and not on the words by which it was reached: from runs/gpt/exp1, `push runs/gpt/exp1`, `push
 * runs` and `push .` all make gpt/exp1. A name that only says what kind of thing lies there (version_0, 7, metrics.csv) has the
 * folders above in front, up to the first that says more. A symbolic link has the name of what it leads to. What people call a run in
 * its tool stands for the name of its folder, unless several places would get that name, or it is too long for one.
 */
#ifndef TSCOPE_CLI_CORE_RUN_NAME_H
#define TSCOPE_CLI_CORE_RUN_NAME_H

#include "base/arena.h"

/* The place of a run, and its name. */
struct ts_run_place {
	const char *path; /* its folder or file */
	const char *part; /* which run of a file that holds several; NULL: the only one */
	const char *own_name; /* what people call it in its tool, in the place of its folder's name; NULL: nothing */
	const char *name; /* "gpt/exp1" */
	bool changed;	  /* a character that a name may not have is '-' in it, or was left out at its begin */
	bool longer;	  /* folders above are in front, because other places have the same name */
	struct ts_error *failed; /* why there is no name; NULL: there is one */
};

/* Names n places of one push: sets what follows path and part, in the arena. Different places get different names as long as their
 * paths tell them apart. Fails only with TS_NO_MEMORY or TS_TOO_LARGE of the arena; what concerns one place is in its `failed`:
 * TS_INVALID if a part of its path has no character for a name, an error of the system if the path cannot be resolved. */
enum ts_status ts_run_names(struct ts_run_place *places, size_t n, struct ts_arena *arena, struct ts_error *err);

/* What a name may have of one component of a path; see ts_run_place. Sets *io_changed, and never clears it. */
enum ts_status ts_name_component(struct ts_span text, struct ts_arena *arena, const char **ret_name, bool *io_changed,
				 struct ts_error *err);

#endif
