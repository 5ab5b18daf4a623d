/* kept_files.h - which traces and memory snapshots a run has, by what GetRun says of its files. */
#ifndef TSCOPE_CLI_CORE_KEPT_FILES_H
#define TSCOPE_CLI_CORE_KEPT_FILES_H

#include "cli/core/context.h"
#include "proto/wire.h"
#include "run/trace_list.h"

/* Those whose columns have such a table (ts_columns_have), by rank and name. Names lie where the reply lies. */
enum ts_status ts_cli_kept_files(struct ts_cli *cli, const struct ts_get_reply *run, enum ts_table_kind table,
				struct ts_run_trace **ret_files, size_t *ret_n, struct ts_error *err);

#endif
