/* json_list.h - the answer of list as JSON. */
#ifndef TSCOPE_CLI_JSON_JSON_LIST_H
#define TSCOPE_CLI_JSON_JSON_LIST_H

#include "cli/core/groups.h"

void ts_render_list_json(struct ts_cli *cli, const struct ts_listing *list);
/* Writes at most limit groups of the list. */
void ts_render_groups_json(struct ts_cli *cli, const struct ts_listing *list, const struct ts_groups *groups, uint64_t limit);

#endif
