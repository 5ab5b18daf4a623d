/* series_axis.h - where a series of two runs first differs when points are paired by samples or tokens seen, and not by
 * step.
 *
 * The axis is a column of the rank. `samples` and `tokens` are of one step (docs/run-directory.md), so a point lies at their sum up to
 * and with its step; any other column is taken as it is. A point whose step has no cell of the axis has no place; of several
 * points at one place the first counts. What has no place, or one that the other run has not, counts as only_a or only_b.
 *
 * Slower than by step: both columns and both axes are read whole, block by block; memory is a few blocks.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_SERIES_AXIS_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_SERIES_AXIS_H

#include "service/handlers/diff/series_diff.h"

struct ts_axis {
	struct ts_span name; /* as asked for; empty: the step */
	struct ts_series_side a, b;
};

/* The axis of a rank, or of the lowest rank that has it. Named as the column is, or without "scalars.". TS_INVALID: none has it. */
enum ts_status ts_axis_find(const struct ts_run *run, const struct ts_index *index, struct ts_span name,
			    struct ts_series_side *ret_side, struct ts_error *err);

/* As ts_series_compare, and the gap of F64 series where want_gap. Places stand for steps in first_step, after_step and gap;
 * step_a and step_b are the steps at first_step. TS_INVALID: the axis falls, stands still, or is no whole number somewhere. */
enum ts_status ts_series_compare_by(struct ts_fetch *f, const struct ts_axis *axis, struct ts_series_side a,
				    struct ts_series_side b, bool want_gap, struct ts_arena *arena,
				    struct ts_series_row *row, struct ts_error *err);

#endif
