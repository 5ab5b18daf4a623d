/* recipe.h - what one run of an experiment is made of: code, command, environment, and what the recorder is asked for.
 *
 *	struct ts_recipe recipe = {.argv = words, .commit = "5f3c...", .stops = true, .stop = 16, .folder = "/home/ada/a1"};
 *	ts_recipe_check(&recipe, err)
 *
 * A recipe is data. Whoever fills it in answers for where its parts are from: argv and launcher are what the user typed behind "--", or
 * what was shown and confirmed; nothing of it is ever given to a shell. A value of a record fills a slot: where a word of argv has
 * {NAME} of one of the slots, the value stands there, as a part of that one word. Everything belongs to the caller.
 * Pure. Threads: safe.
 */
#ifndef TSCOPE_LAUNCH_RECIPE_H
#define TSCOPE_LAUNCH_RECIPE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/span.h"

enum {
	TS_RECIPE_WORDS = 4096,	    /* of argv and launcher */
	TS_RECIPE_VARIABLES = 4096, /* and as many slots and files */
	TS_RECIPE_PATCH = 8 << 20,
};

struct ts_recipe_pair {
	const char *name;
	const char *value; /* of a variable NULL: it is not to be set */
};

/* So many steps from `first` on. */
struct ts_recipe_steps {
	int64_t first, n;
};

struct ts_recipe {
	const char *const *launcher; /* words before argv, such as srun -N1 (runner.h); ends with NULL; NULL: none */
	const char *const *argv;     /* ends with NULL; argv[0] is looked for in PATH */
	const struct ts_recipe_pair *slots;
	size_t n_slots;
	const char *directory; /* of the clone, in which the command runs; NULL or "": its top */
	bool bare;	       /* the environment begins with nothing; else with that of this process */
	const struct ts_recipe_pair *variables; /* set, or unset, in it */
	size_t n_variables;
	const char *commit;	 /* of the clone, 40 or 64 hexadecimal digits */
	struct ts_span patch;	 /* of git diff, which is applied to it; empty: none */
	const char *const *files; /* in the clone, of which the run gets copies: what git does not track; ends with NULL; NULL: none */
	bool stops;			   /* the training ends behind the step `stop`; else it runs to its end */
	int64_t stop;
	struct ts_recipe_steps watch;	   /* digests in each of these steps */
	struct ts_recipe_steps operations; /* and of their operations */
	bool aten;			   /* of every operation of torch, not of modules only */
	const char *folder;		   /* of the run that is recorded; it does not exist yet; an absolute path */
	int64_t limit_ns;		   /* the run is ended after so long; 0: never */
};

/* TS_INVALID: no argv, a folder or a directory that leads elsewhere, a commit that is none, a slot that has no value, ... */
enum ts_status ts_recipe_check(const struct ts_recipe *recipe, struct ts_error *err);
/* The words that are executed, which end with NULL: the launcher's, then argv with its slots filled. */
enum ts_status ts_recipe_words(const struct ts_recipe *recipe, struct ts_arena *arena, const char *const **ret_words,
			       struct ts_error *err);
/* The environment of the command, "NAME=VALUE", which ends with NULL. from: the environment that it begins with, unless the recipe is
 * bare. What the recorder is asked for stands in it: TSCOPE_DIRECTORY, TSCOPE_STOP, TSCOPE_WATCH, TSCOPE_OPERATIONS.
 * *ret_inherited: so many of the variables, the first ones, are those of `from`; the recipe itself sets the others. */
enum ts_status ts_recipe_environment(const struct ts_recipe *recipe, const char *const *from, struct ts_arena *arena,
				     const char *const **ret_variables, size_t *ret_inherited, struct ts_error *err);

#endif
