/* text_rows.h - every row of an analysis as it is, for `analyze --rows`. */
#ifndef TSCOPE_CLI_TEXT_TEXT_ROWS_H
#define TSCOPE_CLI_TEXT_TEXT_ROWS_H

#include "analysis/analysis.h"
#include "cli/core/context.h"

enum ts_status ts_render_rows_text(struct ts_cli *cli, const struct ts_analysis *a, struct ts_error *err);

#endif
