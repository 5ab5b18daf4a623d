/* run_dir.h - the reader of pytscope run directories and their superset (docs/run-directory.md). */
#ifndef TSCOPE_INGEST_RUNDIR_RUN_DIR_H
#define TSCOPE_INGEST_RUNDIR_RUN_DIR_H

#include "ingest/core/reader.h"

int ts_run_dir_sniff(const char *path);
enum ts_status ts_run_dir_read(const struct ts_ingest_options *options, ts_object_sink *sink, void *ctx,
			       struct ts_arena *arena, struct ts_ingest_result *ret_result, struct ts_error *err);

/* The facts that the files of a run directory say of what lies in `folder`, which is the directory or lies in it: those of the rank
 * that the folder is of, else those of the head. Neither steps nor recordings are read. Everything lies in the arena. */
enum ts_status ts_run_dir_facts(const char *path, const char *folder, struct ts_arena *arena, struct ts_facts *ret_facts,
				struct ts_error *err);

#endif
