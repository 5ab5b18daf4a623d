/* ingest.h - from what training leaves on disk to a run: objects for a sink, and the id of their head.
 *
 *	struct ts_ingest_options options = {.path = "runs/exp1"};
 *	ts_ingest(&options, sink, ctx, &arena, &result, err)
 *
 * The path is recognised by the table of readers (reader.h); today: pytscope run directories and their superset
 * (docs/run-directory.md). Objects reach the sink children first, the head last. An optimistic pass assumes that steps
 * only increase; where they go back (a restart) it starts over with a pass that finds the segments, then merges them by
 * step: what the abandoned pass gave to the sink is garbage that gc takes. Memory is a window, whatever the length.
 *
 * Errors name file and line: TS_NOT_FOUND, TS_INVALID (not a run, or --strict and something would be skipped), TS_TOO_LARGE,
 * TS_IO. Results lie in the arena. Threads: one call per thread.
 */
#ifndef TSCOPE_INGEST_INGEST_H
#define TSCOPE_INGEST_INGEST_H

#include "ingest/notice.h"
#include "run/fact.h"
#include "run/index.h"

struct ts_ingest_options {
	const char *path;
	const char *part;		   /* which run of a file that holds several (discover.h); NULL mostly */
	bool strict;			   /* anything skipped is an error */
	const struct ts_facts *facts;	   /* from the pusher and the host; may be NULL */
	/* Called every few MiB; false stops with TS_CANCELLED. May be NULL. */
	bool (*progress)(void *ctx, uint64_t bytes_done, uint64_t bytes_total);
	void *progress_ctx;
};

struct ts_ingest_result {
	struct ts_id head;
	const char *format;	 /* what it was taken for: "pytscope run directory" */
	struct ts_span own_name; /* session.name of the effective facts, empty if the source has none */
	struct ts_facts facts;	 /* of the head, sorted */
	size_t n_ranks;		 /* with steps or files of their own */
	int64_t world_size;	 /* as declared; 0 = not declared */
	int32_t *missing_ranks;	 /* declared and not there: the first 64, ascending */
	size_t n_missing;	 /* all of them */
	uint64_t steps;		 /* distinct steps over all ranks' union of the rank that has most */
	int64_t first_step, last_step; /* over all ranks, valid if steps > 0 */
	uint64_t rows;		 /* over all ranks */
	uint64_t superseded;	 /* rows written again after a restart */
	uint64_t events;	 /* of pipelines, over all ranks and the job */
	uint64_t digests;	 /* of tensors and operations, likewise */
	uint64_t segments;	 /* most of any rank; 1 = never went back */
	uint64_t bytes_read;
	uint64_t objects;	 /* given to the sink by the pass that counts */
	uint64_t canonical_bytes;
	bool finished;		 /* run.json with wall_time is there: the run came to its end */
	struct ts_notices notices;
};

enum ts_status ts_ingest(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx,
			 struct ts_arena *arena, struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
