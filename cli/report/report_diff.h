/* report_diff.h - the sections of a diff's report, and the texts that they share, besides report_parts.h. */
#ifndef TSCOPE_CLI_REPORT_REPORT_DIFF_H
#define TSCOPE_CLI_REPORT_REPORT_DIFF_H

#include "cli/report/report_parts.h"

/* The run's own name, else the start of its id. */
const char *ts_report_run(struct ts_report *r, const struct ts_run_ref *run);
const char *ts_report_series_name(struct ts_report *r, struct ts_span name); /* "loss" of "scalars.loss" */
/* The names of the rows in that state, each once: "phases.forward, memory.alloc and 3 more". NULL if there are none. */
const char *ts_report_names_in(struct ts_report *r, const struct ts_diff *diff, enum ts_series_state state, bool observation);

void ts_report_diff_series(struct ts_report *r, const struct ts_diff *diff); /* report_diff_series.c */
void ts_report_diff_outcomes(struct ts_report *r, const struct ts_diff *diff); /* report_diff_outcomes.c */
/* Says which costs (step time, throughput, memory) differ by more than their noise; NULL if none does. */
const char *ts_report_diff_costs(struct ts_report *r, const struct ts_diff *diff);
void ts_report_diff_curves(struct ts_report *r, const struct ts_diff *diff);
void ts_report_diff_facts(struct ts_report *r, const struct ts_diff *diff);  /* report_diff_sides.c */
void ts_report_diff_extent(struct ts_report *r, const struct ts_diff *diff);
/* Series that have two names, and rows that were left out; no section where there are neither. */
void ts_report_diff_compared(struct ts_report *r, const struct ts_diff *diff);
/* Which layers differ first and most; no section where no numbers of layers were recorded, or all agree. */
void ts_report_diff_layers(struct ts_report *r, const struct ts_diff *diff);  /* report_diff_layers.c */
/* Which events one run has and the other has not; no section where neither has any, or they are the same. */
void ts_report_diff_events(struct ts_report *r, const struct ts_diff *diff);  /* report_diff_events.c */
void ts_report_diff_repeats(struct ts_report *r, const struct ts_diff *diff); /* report_diff_repeats.c */

#endif
