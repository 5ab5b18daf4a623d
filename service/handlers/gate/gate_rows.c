#include "service/handlers/gate/gate_rows.h"

#include "base/arena.h"

#include <string.h>

/* Returns a copy of n rows with room for one more. NULL: the arena is full. */
static void *grown(void *rows, size_t n, size_t size, struct ts_arena *arena)
{
	void *more;

	if (n && (n < 16 || (n & (n - 1)) != 0))
		return rows;
	more = ts_arena_array(arena, n ? 2 * n : 16, size);
	if (more && n)
		memcpy(more, rows, n * size);
	return more;
}

struct ts_gate_run *ts_gate_run_add(struct ts_gate_input *input, struct ts_arena *arena)
{
	struct ts_gate_run *runs = grown(input->runs, input->n_runs, sizeof *runs, arena);

	if (!runs)
		return NULL;
	input->runs = runs;
	return &runs[input->n_runs++];
}

struct ts_gate_passed_over *ts_gate_pass_over(struct ts_gate_input *input, struct ts_arena *arena)
{
	struct ts_gate_passed_over *rows = grown(input->passed_over, input->n_passed_over, sizeof *rows, arena);

	if (!rows)
		return NULL;
	input->passed_over = rows;
	return &rows[input->n_passed_over++];
}
