/* export.h - a run back to files: a run directory that pushes back to the same id, CSV, JSON Lines, npz.
 *
 * The caller hands out objects by id (get); nothing is read otherwise. Existing files are never overwritten: the
 * directory must not exist. Written with openat, O_NOFOLLOW, O_EXCL; names come from the run and are checked.
 */
#ifndef TSCOPE_INGEST_EXPORT_EXPORT_H
#define TSCOPE_INGEST_EXPORT_EXPORT_H

#include "run/head.h"
#include "run/index.h"

/* The object of that id, in the arena. */
typedef enum ts_status ts_object_source(void *ctx, const struct ts_id *id, struct ts_arena *arena,
					struct ts_span *ret_object, struct ts_error *err);

enum ts_status ts_export_run_dir(const struct ts_id *head, ts_object_source *get, void *ctx, const char *path,
				 struct ts_error *err);
/* One row a step and rank: rank, step, then every column; absent cells are empty. To a descriptor. A record's own key `rank`
 * is record.rank, here and in JSON Lines. Superseded rows are in the run directory only. */
enum ts_status ts_export_csv(const struct ts_id *head, ts_object_source *get, void *ctx, int fd, struct ts_error *err);
/* One object a step and rank: {"rank":0,"step":5,"phases":{...},...}. */
enum ts_status ts_export_jsonl(const struct ts_id *head, ts_object_source *get, void *ctx, int fd,
			       struct ts_error *err);
/* A zip of .npy arrays: rank0/scalars.loss.npy with rank0/scalars.loss.step.npy beside it; texts as NAME.text.bytes and
 * NAME.text.offset, lists and the like as NAME.json.*. */
enum ts_status ts_export_npz(const struct ts_id *head, ts_object_source *get, void *ctx, int fd, struct ts_error *err);

#endif
