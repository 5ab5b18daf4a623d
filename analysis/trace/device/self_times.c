/* self_times.c - the time of each span of the host that no span covers which stands within it (nest.h). */
#include "analysis/trace/device/nest.h"

#include "base/door.h"
#include "base/scratch.h"

enum ts_status ts_self_times(const struct ts_trace *trace, const struct ts_nest *nest, struct ts_arena *arena, uint64_t **ret,
			     struct ts_error *err)
{
	const struct ts_trace_spans *s = &trace->rows.spans;
	uint64_t *self = ts_arena_array(arena, s->n, sizeof *self);
	int64_t *until = ts_arena_array(arena, s->n, sizeof *until); /* how far the children of a span cover it */

	TS_DOOR(ts_nest_holds(nest, trace));
	if (!self || !until)
		return ts_arena_error(arena, err);
	for (size_t k = 0; k < nest->n_order; k++) {
		uint32_t row = nest->order[k], parent = nest->parent[row];
		int64_t begin = s->start_ns[row], end = begin + s->duration_ns[row];

		self[row] = (uint64_t)s->duration_ns[row];
		until[row] = begin;
		if (parent == TS_NEST_NONE || end <= until[parent])
			continue;
		self[parent] -= (uint64_t)end - (uint64_t)(begin > until[parent] ? begin : until[parent]);
		until[parent] = end;
	}
	ts_scratch_give(arena, until);
	TS_DOOR_ALL(i, s->n, self[i] <= (uint64_t)s->duration_ns[i]);
	*ret = self;
	return TS_OK;
}
