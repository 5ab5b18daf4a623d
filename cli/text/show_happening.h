/* show_happening.h - formats what a run recorded when it happened (analysis/answer/happening.h), for show and for reports.
 *
 * Texts lie in the arena and are harmless to print. NULL means that the arena is full.
 */
#ifndef TSCOPE_CLI_TEXT_SHOW_HAPPENING_H
#define TSCOPE_CLI_TEXT_SHOW_HAPPENING_H

#include "analysis/answer/happening.h"

const char *ts_show_happening_name(const struct ts_happening *e, struct ts_arena *arena);
const char *ts_show_happening_step(const struct ts_happening *e, struct ts_arena *arena);  /* "500", "after 500" or "-" */
const char *ts_show_happening_ranks(const struct ts_happening *e, struct ts_arena *arena); /* "3", "8 ranks", "job" or "-" */
const char *ts_show_happening_says(const struct ts_happening *e, struct ts_arena *arena);  /* its value and its text; may be "" */
/* "4 recorded events; 1 region is not listed" */
const char *ts_show_happenings(const struct ts_happenings *h, struct ts_arena *arena);
/* Whether a table of them needs a column of ranks; ranks: those of the run. */
bool ts_happenings_name_ranks(const struct ts_happenings *h, uint64_t ranks);

#endif
