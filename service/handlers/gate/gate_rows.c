#include "service/handlers/gate/gate_rows.h"

#include "base/grow.h"

enum { FIRST = 16 };

struct ts_gate_run *ts_gate_run_add(struct ts_gate_input *input, struct ts_arena *arena)
{
	if (!TS_GROW_BY_ONE_IN(arena, input->runs, input->n_runs, FIRST))
		return NULL;
	return &input->runs[input->n_runs++];
}

struct ts_gate_passed_over *ts_gate_pass_over(struct ts_gate_input *input, struct ts_arena *arena)
{
	if (!TS_GROW_BY_ONE_IN(arena, input->passed_over, input->n_passed_over, FIRST))
		return NULL;
	return &input->passed_over[input->n_passed_over++];
}
