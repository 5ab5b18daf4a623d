/* diff_ops.h - in which operation two stored runs first differ: the tables of digests.jsonl for analysis/diverge/op_diff.h.
 *
 * Ranks that both have are walked one after the other, the job too, step by step; of each column a block is in memory, and the
 * records of one step. Blocks at the beginning that are the same on both sides are not opened, but for the steps in them; a
 * table that is the same as a whole is not opened at all, and all its records count as compared, those that were recorded again after a
 * restart too. Otherwise of such a step the last execution alone is compared.
 * A rank whose records lack a step, a name or an output has none that can be compared.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_OPS_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_OPS_H

#include "service/handlers/core/read.h"

/* *ret_apart: of the ranks that both have, one run has records that the other lacks: of whole steps (these are not counted), of a
 * rank, or of an operation in a step that both recorded.
 * Rows and names lie in the arena. */
enum ts_status ts_diff_ops(struct ts_fetch *f, const struct ts_run *a, const struct ts_run *b, struct ts_arena *arena,
			   struct ts_op_diff *ret_ops, bool *ret_apart, struct ts_error *err);

#endif
