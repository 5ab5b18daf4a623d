/* gate_rows.h - rows of a gate's input that the files which fill it append. */
#ifndef TSCOPE_SERVICE_HANDLERS_GATE_GATE_ROWS_H
#define TSCOPE_SERVICE_HANDLERS_GATE_GATE_ROWS_H

#include "analysis/gate/gate.h"

/* Appends one zeroed row and returns it; NULL: the arena is full. */
struct ts_gate_run *ts_gate_run_add(struct ts_gate_input *input, struct ts_arena *arena);
struct ts_gate_passed_over *ts_gate_pass_over(struct ts_gate_input *input, struct ts_arena *arena);

#endif
