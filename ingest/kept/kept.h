/* kept.h - the files of a run that are kept whole: what lies there, whose it is, and its columns.
 *
 *	struct ts_kept_set kept = {.arena, .notices, .sink, .ctx, .progress};
 *	ts_kept_find(&kept, top, directory, prefix, rank, err)	for each folder of the run
 *	ts_kept_columns(&kept, err)				reads each; says which rank it names itself
 *	ts_kept_whose(&kept, i, &rank)				and which rank its name has, if it says nothing
 *	ts_kept_move(&kept, i, rank)				as often as one belongs to another rank
 *	ts_kept_put(&kept, rank, builder, &n, err)		for each rank
 *
 * An artifact of a tracker is kept without a look at what it holds. A file that cannot be read as what its name says is kept all the
 * same; a notice says why its columns are missing. Everything lies in the arena. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_KEPT_KEPT_H
#define TSCOPE_INGEST_KEPT_KEPT_H

#include "ingest/core/notice.h"
#include "ingest/core/reader.h"
#include "ingest/core/source.h"
#include "run/builder.h"
#include "run/machine.h"

enum ts_kept_kind {
	TS_KEPT_NOT,
	TS_KEPT_TRACE,
	TS_KEPT_SUMMARY,
	TS_KEPT_SNAPSHOT,
	TS_KEPT_OUTPUT,
	TS_KEPT_MACHINE,
	TS_KEPT_ARTIFACT,
};

struct ts_kept_file {
	enum ts_kept_kind kind;
	const char *top, *path; /* for base/below.h */
	struct ts_span name;	/* in the run: one path component, once for each rank */
	struct ts_span shown;	/* in notices: "rank1/trace/host.pt.trace.json" */
	uint64_t size, from; /* the bytes of the file that are kept: an output has its end alone */
	int32_t rank;	   /* whose it is */
	int64_t said_rank; /* whose it says that it is; TS_TRACE_NONE: it says nothing */
	int64_t name_rank; /* the same of its name or that of its folder (run/rank_name.h) */
	int64_t said_world;
	bool has_columns;
	struct ts_id columns;
	struct ts_span text; /* of a summary that was made of the file: it is kept in its place */
};

struct ts_kept_set {
	struct ts_arena *arena;
	struct ts_notices *notices;
	ts_object_sink *sink;
	void *ctx;
	struct ts_read_progress *progress; /* counts the bytes of files; may be NULL */
	ts_summarize *summarize;	   /* NULL: traces are kept as they are */
	const struct ts_around *around;	   /* runs whose files are not taken; may be NULL */
	bool outputs, machine;		   /* take what a launcher kept of what was printed, and of the machine, in the folder itself */
	int deep;			   /* how many folders below each of the run are looked into; 0: TS_KEPT_BELOW_RUN */
	struct ts_kept_file *items;
	size_t n, cap;
	uint64_t bytes_read;
};

enum {
	TS_KEPT_MAX = 4096,    /* files of a run */
	TS_KEPT_BELOW_RUN = 1, /* folders */
	TS_KEPT_OUTPUT_MAX = 4 << 20, /* bytes of an output */
	TS_KEPT_ARTIFACT_MAX = 16 << 20,   /* bytes of an artifact */
	TS_KEPT_ARTIFACTS_MAX = 256 << 20, /* bytes of all artifacts of a run */
	TS_KEPT_ARTIFACTS = 2048,	   /* of a run */
	TS_KEPT_BELOW_LOG = 3, /* of another tool: plugins/profile/DATE, as TensorBoard has them */
};

/* What of this is kept: a trace by its name or its content, a summary of one by both, a snapshot of memory by both: a pickle that is
 * called one, or begins as one. */
enum ts_status ts_kept_is(const char *top, const char *path, enum ts_kept_kind *ret, struct ts_error *err);
/* Which of them lies in the folder itself: a trace if there is one, or the summary of one, which is TS_KEPT_TRACE, too; else a
 * snapshot. A folder that cannot be listed has none. Fails with TS_NO_MEMORY only. */
enum ts_status ts_kept_here(const char *top, const char *directory, enum ts_kept_kind *ret, struct ts_error *err);
/* Whether the path is that of another run, whose files are its own (kept->around). */
bool ts_kept_is_other(const struct ts_kept_set *kept, const char *path);
/* Whether a folder of this name is that of a rank: "rank3". */
bool ts_kept_is_rank(const char *name);
/* Adds the files of a folder, and those of folders in it that are no runs, as those of this rank. Of a run directory folders of ranks
 * are not looked into. prefix: "" or "rank3/". */
enum ts_status ts_kept_find(struct ts_kept_set *kept, const char *top, const char *directory, struct ts_span prefix, int32_t rank,
			    struct ts_error *err);
/* Adds the one file that is read, which is kept under this name. */
enum ts_status ts_kept_add(struct ts_kept_set *kept, const char *top, const char *path, const char *name, int32_t rank,
			   struct ts_error *err);
/* Adds a file that is kept as it is, under a name that ts_artifact_name made (run/file_path.h), unless it is in the set already. */
enum ts_status ts_kept_add_artifact(struct ts_kept_set *kept, const char *top, const char *path, const char *name, int32_t rank,
				    struct ts_error *err);
/* Reads each and writes its columns, or makes the summary that is kept instead. A summary that cannot be read is no longer among the
 * items; a snapshot that is none is no longer among the items, unless "snapshot" is in its name. */
enum ts_status ts_kept_columns(struct ts_kept_set *kept, struct ts_error *err);
/* The rank whose output a file of this name has, output.rank3.txt; -1: output.txt, of all of the folder. */
bool ts_kept_output(const char *name, int32_t *ret_rank);
/* Takes all files of this kind out of the set. */
void ts_kept_leave(struct ts_kept_set *kept, enum ts_kept_kind kind);
bool ts_kept_of(const struct ts_kept_set *kept, int32_t rank);
/* The rank of file i by what it says itself, else by its name, of which a notice tells; TS_TRACE_NONE: neither says it. */
int64_t ts_kept_whose(struct ts_kept_set *kept, size_t i);
/* Gives the files to rank 0, which is the only one, or to the job where they are of another. */
void ts_kept_settle_one(struct ts_kept_set *kept);
/* Whether a file of the rank has this name. */
bool ts_kept_taken(const struct ts_kept_set *kept, struct ts_span name, int32_t rank);
/* Gives file i to another rank, if that one has no file of this name; else it stays where it is. */
void ts_kept_move(struct ts_kept_set *kept, size_t i, int32_t rank);
/* *ret_n is raised by the number of files. */
enum ts_status ts_kept_put(struct ts_kept_set *kept, int32_t rank, struct ts_builder *b, size_t *ret_n, struct ts_error *err);

#endif
