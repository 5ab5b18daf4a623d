/* text_diff.h - the first step at which two runs part as one line, for scripts; the whole answer is a report (report.h). */
#ifndef TSCOPE_CLI_TEXT_TEXT_DIFF_H
#define TSCOPE_CLI_TEXT_TEXT_DIFF_H

#include "analysis/diverge/diff.h"
#include "cli/core/context.h"

/* "80<tab>loss<tab>0": first step, series (without one the operation), rank of what decides; dashes where nothing does. */
enum ts_status ts_render_diff_first(struct ts_cli *cli, const struct ts_diff *diff, struct ts_error *err);

#endif
