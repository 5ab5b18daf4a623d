/* reader_wandb.h - W&B's own log of a run: the .wandb file that its SDK writes, offline and online.
 *
 * What of it becomes what: docs/importers.md. Messages are known by number only.
 */
#ifndef TSCOPE_INGEST_WANDB_READER_WANDB_H
#define TSCOPE_INGEST_WANDB_READER_WANDB_H

#include "ingest/core/reader.h"

extern const char ts_wandb_loses[];

/* A .wandb file, or a directory with exactly one. */
int ts_wandb_sniff(const char *path);
enum ts_status ts_wandb_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			     struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
