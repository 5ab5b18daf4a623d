/* machine_use.h - what the observations of a machine (run/machine.h) come to, as rows of group "machine" (measures.inc).
 *
 * Means are over time: a row counts for as long as it is since the row before, a minute at most. The first tenth of the rows, in which
 * programs start, counts in none of them. What no row knows has no measure here; there is none of 0 for it.
 *
 * A GPU was at work in the rows in which it was busy for at least half of the time; its clock and its heat are those of such rows. Its
 * peers are the GPUs that were busy for at least GPU_PEER_BUSY of the time; clocks and heat are compared with the median of the others.
 *
 * All memory is the arena's. Pure; any thread.
 */
#ifndef TSCOPE_ANALYSIS_MACHINE_MACHINE_USE_H
#define TSCOPE_ANALYSIS_MACHINE_MACHINE_USE_H

#include "analysis/answer/measure.h"
#include "run/machine.h"

enum ts_status ts_machine_use(const struct ts_machine_rows *table, struct ts_arena *arena, struct ts_measures *io_rows,
			      struct ts_error *err);
/* Observations that were not read: the row of their number is unknown, with this reason, which lives as long as the rows. */
enum ts_status ts_machine_use_unread(const char *reason, struct ts_arena *arena, struct ts_measures *io_rows, struct ts_error *err);

#endif
