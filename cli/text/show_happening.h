/* show_happening.h - formats what a run recorded when it happened (analysis/answer/happening.h), for show and for reports.
 *
 * Texts lie in the arena and are harmless to print. NULL means that the arena is full.
 */
#ifndef TSCOPE_CLI_TEXT_SHOW_HAPPENING_H
#define TSCOPE_CLI_TEXT_SHOW_HAPPENING_H

#include "analysis/answer/happening.h"
#include "cli/view/view.h"

/* "4 recorded events; 1 region is not listed" */
const char *ts_show_happenings(const struct ts_happenings *h, struct ts_arena *arena);
/* The table of them, without rows that were left out; ranks: those of the run. */
void ts_view_happenings(struct ts_view *view, const struct ts_happenings *h, uint64_t ranks, struct ts_arena *arena);

#endif
