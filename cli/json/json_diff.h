/* json_diff.h - the answers of diff as JSON. */
#ifndef TSCOPE_CLI_JSON_JSON_DIFF_H
#define TSCOPE_CLI_JSON_JSON_DIFF_H

#include "analysis/trace/diff/trace_diff.h"
#include "cli/core/context.h"
#include "cli/core/diff_view.h"
#include "cli/text/reproduce.h"
#include "proto/shape/shape.h"

extern const struct ts_shape ts_shape_diff_answer, ts_shape_matrix_answer;

/* Both append the answer to cli->out. how: the commands that reproduce the runs; NULL if they were not asked for. trace: what differs
 * between their traces; NULL if one of them has none. */
enum ts_status ts_render_diff_json(struct ts_cli *cli, const struct ts_diff *diff, struct ts_diff_view view,
				   const struct ts_reproduce *how, const struct ts_trace_diff *trace, struct ts_error *err);
enum ts_status ts_render_matrix_json(struct ts_cli *cli, const struct ts_diff_matrix *m, struct ts_error *err);

#endif
