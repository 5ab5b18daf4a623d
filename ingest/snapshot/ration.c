#include "ingest/snapshot/ration.h"

#include "base/alloc.h"

bool ts_ration_take(struct ts_ration *a, uint64_t bytes)
{
	uint64_t allowed = TS_RATION_FREE + TS_RATION_TIMES * a->read;

	if (a->failed)
		return false;
	if (bytes > allowed || a->held > allowed - bytes) {
		a->failed = TS_TOO_LARGE;
		return false;
	}
	a->held += bytes;
	if (a->held > a->most)
		a->most = a->held;
	return true;
}

void ts_ration_give(struct ts_ration *a, uint64_t bytes)
{
	a->held -= bytes;
}

bool ts_vector_room(struct ts_ration *a, struct ts_vector *v, size_t item, size_t more)
{
	size_t need, bytes, cap = v->cap ? v->cap : 16;
	void *data;

	if (more <= v->cap - v->n)
		return true;
	if (!ts_size_add(v->n, more, &need))
		need = SIZE_MAX;
	while (cap < need && cap < SIZE_MAX / 2)
		cap += cap / 2;
	if (cap < need || !ts_size_mul(cap, item, &bytes) || !ts_ration_take(a, bytes - v->cap * item)) {
		a->failed = a->failed ? a->failed : TS_TOO_LARGE;
		return false;
	}
	data = ts_realloc(v->data, bytes);
	if (!data) {
		ts_ration_give(a, bytes - v->cap * item);
		a->failed = TS_NO_MEMORY;
		return false;
	}
	v->data = data;
	v->cap = cap;
	return true;
}

void ts_vector_finish(struct ts_ration *a, struct ts_vector *v, size_t item)
{
	ts_free(v->data);
	ts_ration_give(a, v->cap * item);
	*v = (struct ts_vector){0};
}
