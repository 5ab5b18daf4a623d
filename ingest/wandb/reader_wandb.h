/* reader_wandb.h - reads W&B's own log of a run: the .wandb file that its SDK writes, offline and online.
 *
 * docs/importers.md says what each part becomes. Messages are known by field number only.
 */
#ifndef TSCOPE_INGEST_WANDB_READER_WANDB_H
#define TSCOPE_INGEST_WANDB_READER_WANDB_H

#include "ingest/core/reader.h"

extern const char ts_wandb_loses[];

/* Recognises a .wandb file, or a directory with exactly one. */
int ts_wandb_sniff(const char *path);
enum ts_status ts_wandb_about(const char *path, struct ts_arena *arena, struct ts_run_about *ret_about, struct ts_error *err);
enum ts_status ts_wandb_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx, struct ts_arena *arena,
			     struct ts_ingest_result *ret_result, struct ts_error *err);

#endif
