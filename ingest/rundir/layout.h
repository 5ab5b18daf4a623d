/* layout.h - which ranks a run directory has, and where each lies.
 *
 * Three shapes: rank<k>/ directories; a single directory; a single directory with siblings NAME_rank<k> (what pytscope's
 * only_rank_zero=False leaves). Threads: any.
 */
#ifndef TSCOPE_INGEST_RUNDIR_LAYOUT_H
#define TSCOPE_INGEST_RUNDIR_LAYOUT_H

#include "ingest/core/notice.h"

struct ts_rank_dir {
	int32_t rank;
	bool named;	     /* the directory's name says the rank; else run.json may */
	const char *path;
	struct ts_span name; /* for notices: "" or "rank3/" */
};

struct ts_run_layout {
	const char *path; /* as given */
	bool multi;	  /* rank directories: what lies at the root is the job's */
	struct ts_rank_dir *ranks; /* ascending */
	size_t n;
};

/* TS_INVALID when the path holds no run, or two directories for one rank. Results lie in the arena. */
enum ts_status ts_layout_find(const char *path, struct ts_notices *notices, struct ts_arena *arena,
			      struct ts_run_layout *ret_layout, struct ts_error *err);
/* It holds steps.jsonl, pipeline.jsonl, digests.jsonl, run.json, facts.json or a trace. */
bool ts_layout_looks_like_run(const char *path);
/* It holds rank directories. A path that cannot be listed has none; only TS_NO_MEMORY fails. */
enum ts_status ts_layout_has_ranks(const char *path, bool *ret_has, struct ts_error *err);

/* Names of files that are kept as they are; NULL at the end. */
extern const char *const ts_kept_files[];

#endif
