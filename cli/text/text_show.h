/* text_show.h - the answer of show as text. */
#ifndef TSCOPE_CLI_TEXT_TEXT_SHOW_H
#define TSCOPE_CLI_TEXT_TEXT_SHOW_H

#include "cli/core/context.h"
#include "proto/wire.h"
#include "run/head.h"

enum ts_status ts_render_show_text(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_head *head,
				   struct ts_error *err);

#endif
