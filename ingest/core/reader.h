/* reader.h - the interface of a reader of one format: its options, its result and its functions. readers.h is the table of
 * readers. */
#ifndef TSCOPE_INGEST_CORE_READER_H
#define TSCOPE_INGEST_CORE_READER_H

#include "ingest/core/notice.h"
#include "run/fact.h"
#include "run/index.h"

struct ts_listed;
struct ts_trace;

enum { TS_READER_PARTS_MAX = 65536 }; /* most runs in one file, and below one folder */
enum { TS_INGEST_FIRST_ROWS = 3 };
enum { TS_SNIFF_NO_MEMORY = -1 }; /* sniff has no answer because it had no memory */

/* What lies around a run, as discover.h finds it. */
struct ts_around {
	const char *folder; /* of a run that is a file: the folder whose traces and snapshots belong to the run; NULL: none */
	const char *const *others; /* paths of other runs below the run or that folder, whose files are theirs */
	size_t n_others;
};

/* Makes the text that is kept in the place of a trace (run/kernel_summary.h), in the arena; empty: the trace says nothing that it
 * has. */
typedef enum ts_status ts_summarize(const struct ts_trace *trace, struct ts_arena *arena, struct ts_span *ret_text,
				    struct ts_error *err);

struct ts_ingest_options {
	const char *path;
	const char *top;		   /* the path that somebody named, with which path begins (base/below.h); NULL: path itself */
	const char *part;		   /* which run of a file that holds several (discover.h); NULL for most formats */
	const char *const *more;	   /* paths of further parts of the run (ts_run_about), in any order */
	size_t n_more;
	const struct ts_around *around;	   /* NULL: nothing beside the path is of the run, and all below it is */
	struct ts_listed *listed;	   /* of the caller, who reads many runs of one folder; NULL: none */
	bool strict;			   /* skipped input is an error */
	bool artifacts;			   /* keep what lies below artifacts/ of a run of MLflow's folder, up to the limits of kept.h */
	ts_summarize *summarize;	   /* what is kept in the place of traces; NULL: they are */
	bool no_output;			   /* leave out what a launcher kept of what was printed */
	const char *const *patterns;	   /* templates of a text log's lines (text/text_pattern.h) */
	size_t n_patterns;
	const char *const *maps; /* lines of a map of names ("cost=scalars.loss", logs/log_table.h), before the file's */
	size_t n_maps;
	const struct ts_facts *facts;	   /* from the pusher and the host; may be NULL */
	/* Called every few MiB; if it returns false, reading stops with TS_CANCELLED. May be NULL. */
	bool (*progress)(void *ctx, uint64_t bytes_done, uint64_t bytes_total);
	void *progress_ctx;
};

/* What base/below.h takes as the path that was named. */
static inline const char *ts_top(const struct ts_ingest_options *options)
{
	return options->top ? options->top : options->path;
}

/* Whether a file that need not be there is there, to be opened by base/below.h. What is there and is no regular file of the run's
 * own, such as a symbolic link, gives the notice `not_file` under this name and counts as absent. notices may be NULL. */
bool ts_reader_has(const char *top, const char *path, struct ts_span name, struct ts_notices *notices);

/* What stands before the file of a notice in its full path: the path that was read; or, if that is a file beside it, their folder. */
struct ts_span ts_notice_place(const char *path, struct ts_span file);

/* Reports progress if reading is some MiB beyond *told, and then sets *told = at. TS_CANCELLED: the caller wants to stop. */
enum ts_status ts_ingest_tell(const struct ts_ingest_options *options, uint64_t *told, uint64_t at, uint64_t total,
			      struct ts_error *err);

struct ts_ingest_result {
	struct ts_id head;
	const char *format;	 /* the recognised format: "pytscope run directory" */
	struct ts_span own_name; /* session.name of the effective facts, empty if the source has none */
	struct ts_facts facts;	 /* of the head, sorted */
	size_t n_ranks;		 /* ranks that have steps or files of their own */
	int64_t world_size;	 /* as declared; 0 = not declared */
	int32_t *missing_ranks;	 /* ranks that were declared but are not there: the first 64, ascending */
	size_t n_missing;	 /* number of all missing ranks */
	int32_t *beside;	 /* ranks whose directories lie beside the path that was read */
	size_t n_beside;
	uint64_t steps;		 /* distinct steps of the rank that has most */
	int64_t first_step, last_step; /* over all ranks, valid if steps > 0 */
	uint64_t rows;		 /* over all ranks */
	uint64_t superseded;	 /* rows written again after a restart */
	uint64_t events;	 /* events of pipelines, over all ranks and the job */
	uint64_t digests;	 /* digests of tensors and operations, over all ranks and the job */
	uint64_t sketches;	 /* sketches of tensors, over all ranks and the job */
	uint64_t timed;		 /* events and regions by time, over all ranks and the job */
	uint64_t segments;	 /* of the rank that has most; 1 = steps never went back */
	uint64_t bytes_read;
	uint64_t objects;	 /* objects given to the sink by the last pass; an abandoned pass does not count */
	uint64_t canonical_bytes;
	bool finished;		 /* the run reached its end: its run.json has wall_time, or its log says so */
	struct ts_notices notices;
	/* Templates of a text log's lines that were guessed; and the first rows, as its lines give them. */
	const char *const *guessed;
	size_t n_guessed;
	const char *first_rows[TS_INGEST_FIRST_ROWS];
	size_t n_first_rows;
};

/* What the beginning of a log says of its run. Texts lie in the arena; NULL: it does not say that. */
struct ts_run_about {
	const char *own_name; /* what people call the run in the tool */
	const char *key;      /* paths of one folder that have the same key are parts of one run */
};

enum ts_reader_flag {
	TS_READER_NESTS = 1, /* further runs may lie in directories below a run */
	TS_READER_LAST = 2,  /* what it finds in a folder counts only where no other reader finds a run in, above or below it */
	TS_READER_MAPS = 4,  /* options->maps changes its names */
	TS_READER_KEPT = 8,  /* it reads files that any run keeps beside its own: what it finds counts where no run has them */
	TS_READER_KEEPS = 16, /* a run of a file has the kept files of its folder, if it is the only run there */
};

/* One run of a file that holds several. */
struct ts_reader_part {
	const char *id;		/* as options->part names it */
	const char *own_name;	/* what people call the run in the tool; NULL: nothing */
};

struct ts_reader {
	const char *name;  /* "pytscope run directory" */
	const char *loses; /* which data of the source is not kept, for documents and the first line of push; "" = none */
	/* Returns how certain the reader is that the path has its format, 0 = it has not, or TS_SNIFF_NO_MEMORY. It looks at
	 * names and first bytes only. */
	int (*sniff)(const char *path);
	/* Lists the runs of a file that holds several, as options->part names them, without those that were deleted in the tool, which
	 * it counts. NULL: a path is always one run. */
	enum ts_status (*parts)(const char *path, struct ts_arena *arena, struct ts_reader_part **ret_parts, size_t *ret_n,
				size_t *ret_deleted, struct ts_error *err);
	/* Reads the beginning only. What cannot be read says nothing; fails with TS_NO_MEMORY and TS_TOO_LARGE only. NULL: such a log
	 * says nothing of this kind. */
	enum ts_status (*about)(const char *path, struct ts_arena *arena, struct ts_run_about *ret_about, struct ts_error *err);
	unsigned flags; /* of enum ts_reader_flag */
	enum ts_status (*read)(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx,
			       struct ts_arena *arena, struct ts_ingest_result *ret_result, struct ts_error *err);
};
/* For `parts`: appends copies of the id and the name (empty: none) to *parts, which have *n of *cap and grow in the arena.
 * TS_TOO_LARGE beyond TS_READER_PARTS_MAX. */
enum ts_status ts_reader_add_part(struct ts_span id, struct ts_span own_name, struct ts_arena *arena, struct ts_reader_part **parts,
				  size_t *n, size_t *cap, struct ts_error *err);

#endif
