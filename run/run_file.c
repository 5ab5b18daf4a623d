#include "run/run_file.h"

#include "base/object.h"
#include "run/head.h"

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

enum ts_status ts_run_file(ts_object_source *get, void *ctx, const struct ts_id *id, int32_t rank, struct ts_span name,
			   struct ts_arena *arena, struct ts_file *ret_file, struct ts_error *err)
{
	struct ts_span object;
	struct ts_index index;
	struct ts_head head;

	if (get(ctx, id, arena, &object, err) || ts_head_decode(object, arena, &head, err))
		return err->status;
	for (size_t i = 0; i < head.n_ranks; i++) {
		if (head.ranks[i].rank != rank)
			continue;
		if (ts_run_index(get, ctx, &head.ranks[i].index, rank, arena, &index, err))
			return err->status;
		for (size_t k = 0; k < index.n_files; k++)
			if (ts_span_eq(index.files[k].name, name)) {
				*ret_file = index.files[k];
				return TS_OK;
			}
	}
	return ts_error_set(err, TS_NOT_FOUND, "rank %d has no file %.*s", (int)rank, TS_SPAN_ARG(name));
}
