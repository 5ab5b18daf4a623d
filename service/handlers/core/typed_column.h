/* typed_column.h - under which names a run may store the column that a user typed: "loss" for "scalars.loss".
 *
 * Threads: any; the functions keep nothing.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_CORE_TYPED_COLUMN_H
#define TSCOPE_SERVICE_HANDLERS_CORE_TYPED_COLUMN_H

#include "base/arena.h"

/* The first of the names below: as it was typed; that and as a scalar; as whatever was recorded. */
enum { TS_TYPED_EXACT = 1, TS_TYPED_OR_SCALAR = 2, TS_TYPED_ANY_GROUP = 5 };

/* Sets *ret_name to the i-th name, the likeliest first, or to NULL behind the last. In the last ones a dot belongs to the name itself,
 * as in "loss.0" or "eval.accuracy", which the recorder takes for one key: "scalars.loss\.0" (run/fact.h). */
enum ts_status ts_typed_column(struct ts_span typed, size_t i, struct ts_arena *arena, const char **ret_name, struct ts_error *err);

#endif
