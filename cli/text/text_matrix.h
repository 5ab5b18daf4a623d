/* text_matrix.h - the step from which each pair of several runs differs, as text. */
#ifndef TSCOPE_CLI_TEXT_TEXT_MATRIX_H
#define TSCOPE_CLI_TEXT_TEXT_MATRIX_H

#include "analysis/diverge/matrix.h"
#include "cli/core/context.h"

/* For three runs or more. all: no list of names is shortened. */
enum ts_status ts_render_matrix_text(struct ts_cli *cli, const struct ts_diff_matrix *m, bool all, struct ts_error *err);

#endif
