/* json_show.h - the answer of show as JSON. */
#ifndef TSCOPE_CLI_JSON_JSON_SHOW_H
#define TSCOPE_CLI_JSON_JSON_SHOW_H

#include "cli/core/context.h"
#include "cli/text/show_machine.h"
#include "cli/text/show_printed.h"
#include "proto/shape/shape.h"
#include "proto/wire.h"
#include "run/head.h"

extern const struct ts_shape ts_shape_show_answer;

/* printed, machine: what --output and --machine ask for; NULL: nothing. */
enum ts_status ts_render_show_json(struct ts_cli *cli, const struct ts_get_reply *run, const struct ts_head *head,
				   const struct ts_printed_all *printed, const struct ts_machine_about *machine,
				   struct ts_error *err);

#endif
