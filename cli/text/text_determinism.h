/* text_determinism.h - the answer of check-determinism as lines of text. */
#ifndef TSCOPE_CLI_TEXT_TEXT_DETERMINISM_H
#define TSCOPE_CLI_TEXT_TEXT_DETERMINISM_H

#include "analysis/determinism/determinism.h"
#include "cli/core/context.h"

enum ts_status ts_render_determinism_text(struct ts_cli *cli, const struct ts_determinism *answer, struct ts_error *err);

#endif
