/* export.h - writes a run to files: a run directory whose push gives the same id again, CSV, JSON Lines, npz.
 *
 * The caller supplies objects by id (get); nothing else is read. Existing files are never overwritten: the directory must not
 * exist. Files are opened with openat, O_NOFOLLOW and O_EXCL. File names come from the run; kept_name.h makes them
 * names that do no harm.
 */
#ifndef TSCOPE_INGEST_EXPORT_EXPORT_H
#define TSCOPE_INGEST_EXPORT_EXPORT_H

#include "base/arena.h"
#include "run/head.h"
#include "run/index.h"

/* A kept file that has another name in the directory (kept_name.h), by which it is pushed again: the id is another then. */
struct ts_renamed {
	struct ts_span was;
	const char *is; /* below the directory: "rank0/a%0Ab.pickle" */
	struct ts_renamed *next;
};

struct ts_export_names {
	struct ts_arena *arena; /* of the caller, in which the rows lie */
	struct ts_renamed *first, **end;
};

/* names: receives what got another name; NULL: nobody asks. */
enum ts_status ts_export_run_dir(const struct ts_id *head, ts_object_source *get, void *ctx, const char *path,
				 struct ts_export_names *names, struct ts_error *err);
/* Writes CSV to a descriptor: one row per step and rank with rank, step, then every column; absent cells are empty, and texts
 * are in quotes, so that reader_export.h reads the same again. A record's own
 * key `rank` is written as record.rank, here and in JSON Lines. Only the run directory has superseded rows. */
enum ts_status ts_export_csv(const struct ts_id *head, ts_object_source *get, void *ctx, int fd, struct ts_error *err);
/* The same for a program for tables: no text is a formula (base/csv.h), so that what reads it again finds other texts. */
enum ts_status ts_export_csv_no_formulas(const struct ts_id *head, ts_object_source *get, void *ctx, int fd, struct ts_error *err);
/* Writes JSON Lines: one object per step and rank, {"rank":0,"step":5,"phases":{...},...}. */
enum ts_status ts_export_jsonl(const struct ts_id *head, ts_object_source *get, void *ctx, int fd,
			       struct ts_error *err);
/* Writes a zip archive of .npy arrays: rank0/scalars.loss.npy with rank0/scalars.loss.step.npy beside it. A text column becomes
 * NAME.text.bytes and NAME.text.offset; a column of other JSON values, such as lists, becomes NAME.json.*. */
enum ts_status ts_export_npz(const struct ts_id *head, ts_object_source *get, void *ctx, int fd, struct ts_error *err);

#endif
