/* json_trend.h - the answer of trend as JSON. */
#ifndef TSCOPE_CLI_JSON_JSON_TREND_H
#define TSCOPE_CLI_JSON_JSON_TREND_H

#include "analysis/gate/trend.h"
#include "cli/core/context.h"

/* Where the level of a metric of a branch changed, as docs/schemas/trend.schema.json; for people it is a report (report.h). */
void ts_render_trend_json(struct ts_cli *cli, const struct ts_trend *trend);

#endif
