/* discover.h - which runs lie below a path: one, or a whole folder of them (wandb/, mlruns/, lightning_logs/).
 *
 * A path that a reader knows is one run, or as many as its `parts` says (a database), of which FILE#PART is one. Else its
 * directories are walked, TS_DISCOVER_DEPTH deep and without following symbolic links, and what a reader knows is a run; below one
 * of those only where its reader says that runs nest. What begins with a dot is passed over.
 */
#ifndef TSCOPE_INGEST_DISCOVER_H
#define TSCOPE_INGEST_DISCOVER_H

#include "ingest/core/reader.h"

enum { TS_DISCOVER_DEPTH = 6 };

struct ts_found_run {
	const char *path;
	const char *part; /* which run of a file with several; NULL mostly */
	const char *name; /* below the path that was given, "run-20261121-x" or "version_0"; empty: the path itself */
	const struct ts_reader *reader;
};

/* At least one, or TS_INVALID, whose text says what would have been known. In the order of names. Results lie in the arena. */
enum ts_status ts_discover(const char *path, struct ts_arena *arena, struct ts_found_run **ret_runs, size_t *ret_n,
			    struct ts_error *err);

#endif
