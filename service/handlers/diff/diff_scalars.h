/* diff_scalars.h - what the series of any name came to in both runs: val_bpb, reward, kl, a mismatch; beside the outcomes of the loss.
 *
 * A series gives a row if both runs have it, it is measured (analyze_moves.h), no loss that has rows already, and its last tenths
 * differ: by anything if its name tells what is better, else by a tenth. At most TS_DIFF_SCALARS rows are added, those with a
 * direction first, then those that differ by most. Beside it stands a row on its growth, from its first tenth to its last, where
 * that differs by a factor of 1.5.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_SCALARS_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_SCALARS_H

#include "analysis/diverge/diff.h"
#include "service/handlers/core/read.h"

enum { TS_DIFF_SCALARS = 8 };

/* Inserts rows behind those of the loss. losses are the names of the columns that have such rows, as escaped paths. Spans lie in the
 * arena. */
enum ts_status ts_diff_scalars(struct ts_fetch *f, const struct ts_id *a, const struct ts_id *b, const struct ts_span losses[2],
			       struct ts_arena *arena, struct ts_diff *io_diff, struct ts_error *err);

#endif
