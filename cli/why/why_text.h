/* why_text.h - the causes that experiments found, on a terminal. */
#ifndef TSCOPE_CLI_WHY_WHY_TEXT_H
#define TSCOPE_CLI_WHY_WHY_TEXT_H

#include "analysis/answer/why.h"
#include "cli/core/context.h"

enum ts_status ts_render_why_text(struct ts_cli *cli, const struct ts_why *why, struct ts_error *err);

#endif
