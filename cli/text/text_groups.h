/* text_groups.h - groups of runs as a table, with the mean and the standard deviation of each column. */
#ifndef TSCOPE_CLI_TEXT_TEXT_GROUPS_H
#define TSCOPE_CLI_TEXT_TEXT_GROUPS_H

#include "cli/core/groups.h"

/* Shows at most limit groups. */
enum ts_status ts_render_groups_text(struct ts_cli *cli, const struct ts_groups *groups, uint64_t limit, struct ts_error *err);

#endif
