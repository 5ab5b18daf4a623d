/* reader.h - what a reader of one format is asked and what it answers; readers.h is the table of them. */
#ifndef TSCOPE_INGEST_CORE_READER_H
#define TSCOPE_INGEST_CORE_READER_H

#include "ingest/core/notice.h"
#include "run/fact.h"
#include "run/index.h"

enum { TS_READER_PARTS_MAX = 65536 }; /* runs of one file, and below one folder */

enum { TS_SNIFF_NO_MEMORY = -1 }; /* no answer: there was no memory to look */

struct ts_ingest_options {
	const char *path;
	const char *part;		   /* which run of a file that holds several (discover.h); NULL mostly */
	bool strict;			   /* anything skipped is an error */
	const struct ts_facts *facts;	   /* from the pusher and the host; may be NULL */
	/* Called every few MiB; false stops with TS_CANCELLED. May be NULL. */
	bool (*progress)(void *ctx, uint64_t bytes_done, uint64_t bytes_total);
	void *progress_ctx;
};

/* Tells how far reading is, where that is some MiB past *told, and keeps it there; TS_CANCELLED where it is to stop. */
enum ts_status ts_ingest_tell(const struct ts_ingest_options *options, uint64_t *told, uint64_t at, uint64_t total,
			      struct ts_error *err);

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

struct ts_reader {
	const char *name;  /* "pytscope run directory" */
	const char *loses; /* what of the source is not kept, for docs and push's first line; "" = nothing */
	/* 0 = not this format, TS_SNIFF_NO_MEMORY, else how sure; looks at names and first bytes only. */
	int (*sniff)(const char *path);
	/* The runs of one file that holds several, as options->part names them; NULL: a path is one run. */
	enum ts_status (*parts)(const char *path, struct ts_arena *arena, char ***ret_parts, size_t *ret_n, struct ts_error *err);
	bool nests; /* directories of further runs may lie below one */
	enum ts_status (*read)(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx,
			       struct ts_arena *arena, struct ts_ingest_result *ret_result, struct ts_error *err);
};

#endif
