/* diff_sketches.h - which tensor of two stored runs is the first that differs by more than rounding: the tables of sketches.jsonl for
 * analysis/diverge/sketch_diff.h.
 *
 * The steps that both runs recorded are walked in order, up to the first in which a tensor is above rounding; of each rank the blocks
 * that hold the step are in memory. Of a step that was recorded again after a restart the last execution counts. A rank whose
 * records lack one of the columns that every sketch has holds none. What belongs to the job, and not to a rank, is left out.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_SKETCHES_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_SKETCHES_H

#include "service/handlers/core/read.h"

/* r: the run that shows rounding, with the fact work.perturbation; NULL: there is none. Rows lie in the arena. */
enum ts_status ts_diff_sketches(struct ts_fetch *f, const struct ts_run *a, const struct ts_run *b, const struct ts_run *r,
				struct ts_arena *arena, struct ts_sketch_diff *ret_sketches, struct ts_error *err);

#endif
