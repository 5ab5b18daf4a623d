/* json_analysis.h - the answer of analyze as JSON, and its parts that other answers have too. */
#ifndef TSCOPE_CLI_JSON_ANALYSIS_H
#define TSCOPE_CLI_JSON_ANALYSIS_H

#include "analysis/analysis.h"
#include "cli/core/context.h"

/* Rows as an object of groups of subjects, with their units in their names; those not known are null, and ts_json_unknown says why. */
enum ts_status ts_json_measures(struct ts_json *j, const char *key, const struct ts_measures *m, struct ts_arena *arena,
				struct ts_error *err);
void ts_json_unknown(struct ts_json *j, const char *key, const struct ts_measures *m);
void ts_json_plots(struct ts_json *j, const struct ts_plots *plots);

enum ts_status ts_render_analysis_json(struct ts_cli *cli, const struct ts_analysis *a, struct ts_error *err);

#endif
