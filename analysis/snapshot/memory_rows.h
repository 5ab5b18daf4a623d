/* memory_rows.h - what rules look at of a snapshot: one device's figures as rows of group "snapshot" (measures.inc).
 *
 * What needs events is unknown without them, what needs a capacity without one. Rows of "refused" are of the first request that was
 * refused. Of churn and of what is carried from step to step, "largest_source" is whose code has most. Subjects of at_peak are kinds:
 * their rows add up to the peak. All memory is the arena's; texts may hold foreign names. Pure; any thread.
 */
#ifndef TSCOPE_ANALYSIS_SNAPSHOT_MEMORY_ROWS_H
#define TSCOPE_ANALYSIS_SNAPSHOT_MEMORY_ROWS_H

#include "analysis/answer/measure.h"
#include "analysis/snapshot/memory_answer.h"

enum ts_status ts_memory_rows(const struct ts_memory_device *d, struct ts_arena *arena, struct ts_measures *io_rows,
			      struct ts_error *err);
/* Which sizes would fit, by snapshots of several; no rows where the fit does not say it. */
enum ts_status ts_memory_rows_fit(const struct ts_scaling *fit, struct ts_arena *arena, struct ts_measures *io_rows,
				  struct ts_error *err);
/* Rows of a snapshot that was not read: all are unknown, with this reason, which has to live as long as the rows. */
enum ts_status ts_memory_rows_unread(const char *reason, struct ts_arena *arena, struct ts_measures *io_rows, struct ts_error *err);

#endif
