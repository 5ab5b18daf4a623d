/* kernels_file.h - what the user says of a trace: its own table of kernels (--kernels FILE), and what marks steps (--step-name). */
#ifndef TSCOPE_CLI_TRACE_KERNELS_FILE_H
#define TSCOPE_CLI_TRACE_KERNELS_FILE_H

#include "cli/core/context.h"
#include "run/trace.h"

/* Fills io_trace->kernels (kernel_table.h), in the arena, and io_trace->step_name, if --step-name is given. Errors of the table name
 * the file. */
enum ts_status ts_know_kernels(struct ts_cli *cli, struct ts_trace *io_trace, struct ts_arena *arena, struct ts_error *err);

#endif
