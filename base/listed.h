/* listed.h - the names in the folder that was listed last, for callers that look into one folder again and again.
 *
 *	struct ts_listed listed = TS_LISTED_INIT;
 *	ts_listed_names(&listed, "runs", &names, &n, err)	lists runs
 *	ts_listed_names(&listed, "runs", &names, &n, err)	gives the same names, unless the folder changed since
 *	ts_listed_finish(&listed)
 *
 * Names are those of ts_list_dir and valid until the next call. Threads: one at a time.
 */
#ifndef TSCOPE_BASE_LISTED_H
#define TSCOPE_BASE_LISTED_H

#include "base/arena.h"

#include <time.h>

struct ts_listed {
	struct ts_arena arena;
	const char *path; /* NULL: none yet */
	struct timespec changed;
	char **names;
	size_t n;
	bool begun;
};

#define TS_LISTED_INIT                                                                                                                 \
	{                                                                                                                              \
		.path = NULL                                                                                                           \
	}

void ts_listed_finish(struct ts_listed *listed);
/* Errors are those of ts_list_dir. */
enum ts_status ts_listed_names(struct ts_listed *listed, const char *path, char ***ret_names, size_t *ret_n, struct ts_error *err);

#endif
