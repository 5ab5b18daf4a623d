/* json_matrix.h - where each two of several runs part, as JSON. */
#ifndef TSCOPE_CLI_JSON_MATRIX_H
#define TSCOPE_CLI_JSON_MATRIX_H

#include "analysis/diverge/matrix.h"
#include "cli/core/context.h"

enum ts_status ts_render_matrix_json(struct ts_cli *cli, const struct ts_diff_matrix *m, struct ts_error *err);
/* runs, groups and pairs. */
void ts_json_matrix_parts(struct ts_json *j, const struct ts_diff_matrix *m, const size_t *groups, size_t n_groups);

#endif
