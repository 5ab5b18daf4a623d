/* text_diff.h - the first step at which two runs differ, as one line for scripts; the whole answer is a report (report.h). */
#ifndef TSCOPE_CLI_TEXT_TEXT_DIFF_H
#define TSCOPE_CLI_TEXT_TEXT_DIFF_H

#include "analysis/diverge/diff.h"
#include "cli/core/context.h"

/* Appends "80<tab>loss<tab>0": the first step, the series (if none differs, the operation) and the rank of the deciding row;
 * dashes if no row decides. */
enum ts_status ts_render_diff_first(struct ts_cli *cli, const struct ts_diff *diff, struct ts_error *err);

#endif
