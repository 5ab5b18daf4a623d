/* again_here.h - how this machine and the user's clone differ from what a record says it ran with, before anything is executed.
 */
#ifndef TSCOPE_CLI_VERBS_AGAIN_HERE_H
#define TSCOPE_CLI_VERBS_AGAIN_HERE_H

#include "cli/verbs/again.h"

enum { TS_HERE_NAMED = 8, TS_HERE_ROWS = 32 };

struct ts_here {
	const char *clone; /* the top of the user's clone */
	const struct ts_recipe_pair *variables; /* to set, or to unset, so that it is as recorded; those of the record first */
	size_t n_variables;
	const char *const *files; /* of the clone, which git does not track and the run read; ends with NULL */
	const char *differs[TS_HERE_ROWS]; /* a sentence each */
	size_t n_differs;
	const char *gone[TS_HERE_ROWS]; /* without which it cannot be run */
	size_t n_gone;
};

/* where: a folder in the user's clone. TS_NOT_FOUND: it is in none. */
enum ts_status ts_here_look(const struct ts_again *again, const char *where, struct ts_arena *arena, struct ts_here *ret_here,
			    struct ts_error *err);
/* The path of a file within the repository that it was read in; NULL: it lay elsewhere. */
const char *ts_here_within(const struct ts_again *again, const char *path);
/* The digest of a file's size and blocks, as the recorder makes it (docs/reproduce.md); false: it is no regular file, or not there. */
bool ts_here_file(const char *path, uint64_t *ret_size, char ret_digest[17]);

#endif
