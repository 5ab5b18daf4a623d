/* serve_trace.h - a table of a trace (run/trace_sheet.h) as numbers, for the Python package: what its columns are as JSON, then bytes.
 *
 * Without --table the JSON is {"cut": false, "tables": [{"name": "kernels", "rows": 5}, ...]}, and no bytes follow. With it, it is
 * {"rows": 5, "cut": false, "columns": [{"name": "start_ns", "type": "i64"}, ...]}; cut: the file of the trace ends or ended too early,
 * so that rows of any table may be missing. Of each column, in that order, follow chunks (value_chunks.h): of i64 and f64 the values,
 * in which INT64_MIN and NaN stand for what is not said; of text the words that the column uses, as lengths and bytes, and then of each
 * row the number of its word (int64), -1 where nothing is said.
 */
#ifndef TSCOPE_CLI_VERBS_SERVE_TRACE_H
#define TSCOPE_CLI_VERBS_SERVE_TRACE_H

#include "cli/core/context.h"
#include "cli/verbs/value_chunks.h"

/* As the function of the verb export: stream is a struct ts_value_stream. An error before anything was said; one that comes later is
 * said among the bytes. */
enum ts_status ts_trace_send(struct ts_cli *cli, void *stream, struct ts_error *err);

#endif
