/* text_matrix.h - from which step each two of several runs differ, as text. */
#ifndef TSCOPE_CLI_TEXT_TEXT_MATRIX_H
#define TSCOPE_CLI_TEXT_TEXT_MATRIX_H

#include "analysis/diverge/matrix.h"
#include "cli/core/context.h"

/* Of three runs or more; all: no list of names is cut. */
enum ts_status ts_render_matrix_text(struct ts_cli *cli, const struct ts_diff_matrix *m, bool all, struct ts_error *err);

#endif
