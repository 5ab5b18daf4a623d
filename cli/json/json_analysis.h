/* json_analysis.h - the answer of analyze as JSON. */
#ifndef TSCOPE_CLI_JSON_JSON_ANALYSIS_H
#define TSCOPE_CLI_JSON_JSON_ANALYSIS_H

#include "analysis/analysis.h"
#include "cli/core/context.h"

enum ts_status ts_render_analysis_json(struct ts_cli *cli, const struct ts_analysis *a, struct ts_error *err);

#endif
