#include "run/run_index.h"

#include "base/object.h"

enum ts_status ts_run_index(ts_object_source *get, void *ctx, const struct ts_id *first, int32_t rank, struct ts_arena *arena,
			    struct ts_index *ret_index, struct ts_error *err)
{
	struct ts_index index = {.rank = rank};
	struct ts_id id = *first;
	bool more = true;

	while (more) {
		struct ts_span object;
		struct ts_id next;

		if (get(ctx, &id, arena, &object, err))
			return err->status;
		if (ts_index_decode(object, arena, &index, &more, &next, err))
			return ts_object_error(&id, err);
		if (more)
			id = next;
	}
	*ret_index = index;
	return TS_OK;
}
