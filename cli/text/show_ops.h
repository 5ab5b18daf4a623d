/* show_ops.h - one line that says in which operation two runs first differ. */
#ifndef TSCOPE_CLI_TEXT_SHOW_OPS_H
#define TSCOPE_CLI_TEXT_SHOW_OPS_H

#include "analysis/diverge/diff.h"

/* "step 41, layers.3.attn (occurrence 0) on rank 2: inputs agree, output differs; ranks 0, 1, 3 receive it". ranks: a run has
 * several ranks, so they are named. The text lies in the arena and is harmless to print. NULL if no operation differs, or the
 * arena is full. */
const char *ts_show_first_op(const struct ts_op_diff *ops, bool ranks, struct ts_arena *arena);

#endif
