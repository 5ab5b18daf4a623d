/* text_list.h - the answer of list as text. */
#ifndef TSCOPE_CLI_TEXT_TEXT_LIST_H
#define TSCOPE_CLI_TEXT_TEXT_LIST_H

#include "cli/core/listing.h"

enum ts_status ts_render_list_text(struct ts_cli *cli, const struct ts_listing *list, struct ts_error *err);

#endif
