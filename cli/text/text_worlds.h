/* text_worlds.h - the answer of scaling as text. */
#ifndef TSCOPE_CLI_TEXT_TEXT_WORLDS_H
#define TSCOPE_CLI_TEXT_TEXT_WORLDS_H

#include "analysis/worlds/worlds.h"
#include "cli/core/context.h"

enum ts_status ts_render_worlds_text(struct ts_cli *cli, const struct ts_worlds *worlds, struct ts_error *err);

#endif
