/* csv_list.h - runs, and groups of runs, as CSV (RFC 4180) with one line of names, for other programs.
 *
 * Values are written exactly: ids with all digits, times in UTC. What is not known is an empty field; an empty text is "". With
 * --no-formulas no text is a formula to a program for tables (base/csv.h).
 */
#ifndef TSCOPE_CLI_TEXT_CSV_LIST_H
#define TSCOPE_CLI_TEXT_CSV_LIST_H

#include "cli/core/groups.h"

void ts_render_list_csv(struct ts_cli *cli, const struct ts_listing *list);
/* Each column has three fields: COLUMN.mean, COLUMN.sd and COLUMN.runs. */
void ts_render_groups_csv(struct ts_cli *cli, const struct ts_groups *groups, uint64_t limit);

#endif
