/* layout.h - finds which ranks a run directory has, and the directory of each.
 *
 * There are three layouts: rank<k>/ directories; a single directory; a single directory with siblings NAME_rank<k> (which
 * pytscope's only_rank_zero=False leaves). Threads: any.
 */
#ifndef TSCOPE_INGEST_RUNDIR_LAYOUT_H
#define TSCOPE_INGEST_RUNDIR_LAYOUT_H

#include "ingest/core/reader.h"

struct ts_listed;

struct ts_rank_dir {
	int32_t rank;
	bool named;	     /* the directory's name has the rank; else run.json may have it */
	const char *top; /* the path that was named, for base/below.h; of a directory beside the run the folder of both */
	const char *path;
	struct ts_span name; /* its name in notices: "" or "rank3/" */
};

struct ts_run_layout {
	const char *path; /* the path as given */
	bool multi;	  /* there are rank directories; files at the root belong to the job */
	bool rank_at_root; /* they belong to rank 0: its run was begun alone, and other ranks came later */
	struct ts_rank_dir *ranks; /* ascending */
	size_t n;
};

/* Finds the layout of a path below top (base/below.h). listed, which may be NULL, spares listing the folder around path for each of
 * its runs. TS_INVALID: the path holds no run, or two directories for one rank. Results lie in the arena. */
enum ts_status ts_layout_find(const char *top, const char *path, struct ts_listed *listed, struct ts_notices *notices,
			      struct ts_arena *arena, struct ts_run_layout *ret_layout, struct ts_error *err);
/* Whether the directory holds steps.jsonl, recording.tscope, a file of ts_side_files, run.json, facts.json, a trace or a snapshot of
 * memory. Fails with TS_NO_MEMORY only. */
enum ts_status ts_layout_looks_like_run(const char *path, bool *ret, struct ts_error *err);
/* The same without the last two: with them alone, the folder is one of such files (reader_trace.h), unless it is that of a rank. */
bool ts_layout_has_steps(const char *path);
/* Whether the path holds rank directories, and whether one of them has steps. A path that cannot be listed has none. Fails with
 * TS_NO_MEMORY only. */
enum ts_status ts_layout_has_ranks(const char *path, bool *ret_has, bool *ret_steps, struct ts_error *err);

#endif
