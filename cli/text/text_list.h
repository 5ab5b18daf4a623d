/* text_list.h - the answer of list as text. */
#ifndef TSCOPE_CLI_TEXT_TEXT_LIST_H
#define TSCOPE_CLI_TEXT_TEXT_LIST_H

#include "cli/core/listing.h"

enum ts_status ts_render_list_text(struct ts_cli *cli, const struct ts_listing *list, struct ts_error *err);

/* What a cell of the list shows; "-" if it is not known. NULL: the arena is full. */
const char *ts_list_cell_text(const struct ts_listing *list, const struct ts_list_row *row, size_t column, struct ts_arena *arena);
/* Whether all values of the column are numbers. */
bool ts_list_is_numeric(const struct ts_listing *list, size_t column);

#endif
