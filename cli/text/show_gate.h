/* show_gate.h - the words for the pieces of a verdict, in one place, so that text, JUnit, annotations and comments
 * agree.
 *
 * Texts lie in the arena and are harmless to print (show_value.h); NULL when the arena is full. Sizes are relative: 0.081 is
 * "8.1 %". A value that is not a number is "not known", never a zero.
 */
#ifndef TSCOPE_CLI_TEXT_SHOW_GATE_H
#define TSCOPE_CLI_TEXT_SHOW_GATE_H

#include "analysis/gate/gate.h"

/* Whether the row has anything to show: it decides, or at least one side has a value. */
bool ts_show_gate_row(const struct ts_gate_row *row);
/* ts_show_text, cut after `most` bytes with "..." behind: names and reasons in a run may be long, and a report must stay
 * bounded. */
const char *ts_show_brief(struct ts_span text, size_t most, struct ts_arena *arena);
const char *ts_show_size(double ratio, struct ts_arena *arena);	  /* 8.1 %, 0.31 %, 12 %: two digits, without a sign */
const char *ts_show_change(double ratio, struct ts_arena *arena); /* +8.1 %, -0.31 % */
/* The change of a row, its interval, and what it could have missed. A share is told in points of a percent (+1.2 points), and what
 * spans a factor of ten or more as that, since its digits say nothing. */
const char *ts_show_row_change(const struct ts_gate_row *row, struct ts_arena *arena);
const char *ts_show_row_interval(const struct ts_gate_row *row, struct ts_arena *arena);
const char *ts_show_row_missed(const struct ts_gate_row *row, struct ts_arena *arena);
/* The candidate's value: NaN where that is what the run logged, and `unknown` where it logged none. */
const char *ts_show_row_candidate(const struct ts_verdict *v, const struct ts_gate_row *row, const char *unknown,
				  struct ts_arena *arena);
/* The metric of a row: its name, "step_time" or "val_bpb"; its title, "step time"; and as ts_show_workload is, for a label. */
const char *ts_show_row_name(const struct ts_gate_row *row, struct ts_arena *arena);
const char *ts_show_row_title(const struct ts_gate_row *row, struct ts_arena *arena);
const char *ts_show_row_label(const struct ts_gate_row *row, struct ts_arena *arena);
/* A value with the metric's unit: 412 ms, 7.00 GiB, 43.1 %. */
const char *ts_show_metric(enum ts_metric metric, double value, struct ts_arena *arena);
/* One metric in one line: "412 ms, baseline 381 ms: +8.1 % (99 % confidence interval +7.2 % to +9.0 %; 4 pairs)", or the reason
 * why it is not known. */
const char *ts_show_row(const struct ts_gate_row *row, struct ts_arena *arena);
/* One contribution to a difference: "phase forward: 141 ms, baseline 110 ms; 100 % of the difference". */
const char *ts_show_why(const struct ts_gate_why *why, struct ts_arena *arena);

/* The first run with this role, NULL if there is none; *ret_n is their number. */
const struct ts_gate_run *ts_gate_first(const struct ts_gate_input *input, enum ts_gate_role role, size_t *ret_n);
/* The name of a run, else the first digits of its id. */
const char *ts_show_gate_run(const struct ts_gate_run *run, struct ts_arena *arena);
/* A name that tells verdicts of different workloads apart: the declared workload, or the first digits of the key of the
 * configuration, or "unknown". It has only letters, digits, . _ / - and %XX, and never two dashes together, so that it may stand in
 * a comment of HTML. */
const char *ts_show_workload(const struct ts_gate_input *input, struct ts_arena *arena);

#endif
