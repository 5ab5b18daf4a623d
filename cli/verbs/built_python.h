/* built_python.h - a virtual environment of Python with the packages that a record lists, built here by uv, or by pip where uv is not.
 *
 *	ts_python_plan(cli, &again, &plan, err)		what would be built; nothing is executed
 *	ts_python_build(&plan, err)			builds it, unless it is there
 *
 * It lies below the user's state folder, under the digest of all that it is made of, so that the next run finds it. Only wheels of
 * an index are installed, each in the version that was recorded and without what it would ask for by itself: no code of a package
 * runs while it is built. No interpreter that a record names is started, but those that PATH finds here. What came from a folder or
 * a commit, and a name or version that is none, is left and named. The recorder itself is linked from the interpreter that has it
 * here. The caller shows the plan before it builds.
 * Threads: one at a time.
 */
#ifndef TSCOPE_CLI_VERBS_BUILT_PYTHON_H
#define TSCOPE_CLI_VERBS_BUILT_PYTHON_H

#include "cli/verbs/again.h"

struct ts_python_plan {
	const char *folder;	    /* of the environment, absolute */
	const char *tool;	    /* uv or pip */
	const char *base;	    /* the interpreter that makes it: python3.11, or python3; of uv a version */
	const char *version;	    /* of it, 3.11 */
	const char *const *wanted;  /* NAME==VERSION, which end with NULL */
	size_t n_wanted;
	const char *const *left;    /* packages that are not built, a sentence each */
	size_t n_left;
	bool there;		    /* it was built before */
	bool base_pip;		    /* pip of the base fills it, which needs none of its own then */
	const char *recorder;	    /* the interpreter here whose package tscope is linked; NULL: none has it */
};

/* TS_NOT_FOUND: the record has no packages or no version of Python, or there is neither uv nor that Python here. */
enum ts_status ts_python_plan(struct ts_cli *cli, const struct ts_again *again, struct ts_python_plan *ret_plan, struct ts_error *err);
/* TS_IO: it could not be built; the last line that the tool wrote is in the error. */
enum ts_status ts_python_build(const struct ts_python_plan *plan, struct ts_arena *arena, struct ts_error *err);

#endif
