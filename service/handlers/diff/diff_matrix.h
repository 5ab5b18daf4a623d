/* diff_matrix.h - the DiffMatrix method: the first step at which each two of up to 256 runs differ.
 *
 * A pair says what ts_diff_runs would: PARTS where that is DIFFERENT, with its first step; SAME where it is SAME; the others are
 * INCONCLUSIVE. Series are taken one after the other over all pairs; block lists are compared by id, and of a pair only
 * the blocks in which it may differ are opened, each once as long as the cache has room for one of every run.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_MATRIX_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_DIFF_MATRIX_H

#include "analysis/diverge/matrix.h"
#include "service/handlers/core/read.h"

/* n runs that are open already; runs and pairs of the result lie in the arena. */
enum ts_status ts_diff_matrix(struct ts_fetch *f, const struct ts_run *runs, size_t n, struct ts_arena *arena,
			      struct ts_diff_matrix *ret_matrix, struct ts_error *err);

#endif
