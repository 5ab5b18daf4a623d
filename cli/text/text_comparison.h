/* text_comparison.h - the answer of compare as text. */
#ifndef TSCOPE_CLI_TEXT_TEXT_COMPARISON_H
#define TSCOPE_CLI_TEXT_TEXT_COMPARISON_H

#include "analysis/settings/comparison.h"
#include "cli/core/context.h"

enum ts_status ts_render_comparison_text(struct ts_cli *cli, const struct ts_comparison *c, struct ts_error *err);

#endif
