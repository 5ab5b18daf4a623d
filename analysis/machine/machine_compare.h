/* machine_compare.h - in what the machines of two runs differed, in words: what may explain that one is slower, never a proof of it.
 *
 *	"limit of power of GPUs 300 W against 400 W; steal 12 % against 0.3 %"
 *
 * Only what differs by more than equal machines do is named (the table of machine_compare.c): of GPUs that were at work the lowest
 * clock and limit of power, and the highest share of the time in which heat held a clock. What one of them does not know is not
 * compared.
 * Pure; any thread.
 */
#ifndef TSCOPE_ANALYSIS_MACHINE_MACHINE_COMPARE_H
#define TSCOPE_ANALYSIS_MACHINE_MACHINE_COMPARE_H

#include "analysis/answer/measure.h"

/* The rows of the run that is asked about, and those of the one that it is held against. *ret is empty where nothing differs, or a run
 * has too few observations; its text lies in the arena. */
enum ts_status ts_machine_compare(const struct ts_measures *run, const struct ts_measures *against, struct ts_arena *arena,
				  struct ts_span *ret, struct ts_error *err);

#endif
