/* discover.h - finds the runs below a path: a single run, or a whole folder of them (wandb/, mlruns/, lightning_logs/).
 *
 * A path that a reader recognises is one run, or as many runs as its `parts` reports (a database); FILE#PART names one of
 * these. Any other path is searched TS_DISCOVER_DEPTH directories deep, without following symbolic links, and every path that a
 * reader recognises is a run. The search goes on below a run only if its reader says that runs nest. Names that begin with a
 * dot are skipped. Paths that lie in one folder and are parts of one run (a W&B run that was resumed) are found as the first of
 * them, with the others in `more`. A text log is a run only where no other reader finds one in its folder, above or below it. A folder
 * of traces or snapshots is a run of its own only where no other run keeps them: that of the only log in it, or one above it.
 */
#ifndef TSCOPE_INGEST_DISCOVER_H
#define TSCOPE_INGEST_DISCOVER_H

#include "ingest/core/reader.h"

enum { TS_DISCOVER_DEPTH = 6 };

struct ts_found_run {
	const char *path;
	const char *part; /* which run of a file that holds several; NULL for most formats */
	const char *name; /* relative to the given path, "run-20261121-x" or "version_0"; empty: the path itself */
	const char *own_name; /* ts_run_about; NULL: none */
	const char *key;
	const char *const *more; /* paths of further parts of the run, in the order of names */
	size_t n_more;
	const struct ts_around *around; /* NULL: of a file that is named, or that keeps nothing */
	const char *top; /* the given path, for ts_ingest_options */
	size_t links;	  /* how many symbolic links below the given path were not followed, and lead out of it or nowhere */
	const char *link; /* the first of them */
	size_t deleted; /* how many runs below the given path were passed over, because they are deleted in their tool */
	const struct ts_reader *reader;
};

/* Finds at least one run, in the order of names, or fails with TS_INVALID, whose text lists what would have been recognised.
 * Results lie in the arena. */
enum ts_status ts_discover(const char *path, struct ts_arena *arena, struct ts_found_run **ret_runs, size_t *ret_n,
			    struct ts_error *err);
/* The same for a file that the caller knows how to read: it is one run, whatever its name and content. */
enum ts_status ts_discover_as(const struct ts_reader *reader, const char *path, struct ts_arena *arena, struct ts_found_run **ret_runs,
			      size_t *ret_n, struct ts_error *err);

#endif
