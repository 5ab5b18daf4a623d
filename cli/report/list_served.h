/* list_served.h - what a list has beside its cells where it is a page of a server (web/): a form for the filter, links to runs and to
 * other orders, boxes to choose runs by, and the way to the next page. Addresses are relative to the page, so that no project stands
 * in them. */
#ifndef TSCOPE_CLI_REPORT_LIST_SERVED_H
#define TSCOPE_CLI_REPORT_LIST_SERVED_H

#include "cli/report/list_page.h"

/* The form for the filter, above the list. */
void ts_list_served_form(struct ts_buf *out, const struct ts_list_page *page, struct ts_arena *arena);
/* The head of a column, which leads to the list sorted by it; once more to the reverse order. */
void ts_list_served_head(struct ts_buf *out, const struct ts_list_page *page, size_t column, struct ts_arena *arena);
/* The head of the curves of the loss, which leads to the list sorted by the last loss, the least first. */
void ts_list_served_loss(struct ts_buf *out, const struct ts_list_page *page, struct ts_arena *arena);
/* The cell of a name: a box to choose the run by, and the link to its page. text is what the cell says. */
void ts_list_served_name(struct ts_buf *out, const struct ts_list_page *page, size_t row, const char *text, struct ts_arena *arena);
/* In the place of rows that are not there: why, and how they come to be there. */
void ts_list_served_none(struct ts_buf *out, const struct ts_list_page *page, struct ts_arena *arena);
/* The button that compares the chosen runs, and the link to the next page. */
void ts_list_served_foot(struct ts_buf *out, const struct ts_list_page *page, struct ts_arena *arena);

#endif
