#include "run/run_file.h"

#include "base/limits.h"
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

/* Copies the chunks one after the other; each has the bytes that the size of the file leaves for it. */
static enum ts_status copy_chunks(ts_object_source *get, void *ctx, const struct ts_file *file, uint8_t *to, struct ts_error *err)
{
	struct ts_arena arena;
	enum ts_status status = TS_OK;
	uint64_t left = file->size;

	ts_arena_init(&arena, 8 * (size_t)TS_OBJECT_MAX);
	for (size_t i = 0; i < file->n_chunks && !status; i++) {
		size_t n = left < TS_CHUNK_BYTES ? (size_t)left : TS_CHUNK_BYTES;
		struct ts_object frame;
		struct ts_span object;

		ts_arena_reset(&arena);
		status = get(ctx, &file->chunks[i], &arena, &object, err);
		if (!status)
			status = ts_object_parse(object, &frame, err);
		if (!status && (frame.kind != TS_KIND_CHUNK || frame.payload.len != n)) {
			(void)ts_error_set(err, TS_DAMAGED, "not the part of a file that it should be");
			status = ts_object_error(&file->chunks[i], err);
		}
		if (!status && n)
			memcpy(to, frame.payload.data, n);
		to += n;
		left -= n;
	}
	ts_arena_finish(&arena);
	return status;
}

static enum ts_status find(ts_object_source *get, void *ctx, const struct ts_id *id, int32_t rank, struct ts_span name,
			   struct ts_arena *work, const struct ts_file **ret_file, struct ts_error *err)
{
	struct ts_span object;
	struct ts_index index;
	struct ts_head head;

	if (get(ctx, id, work, &object, err) || ts_head_decode(object, work, &head, err))
		return err->status;
	for (size_t i = 0; i < head.n_ranks; i++) {
		if (head.ranks[i].rank != rank)
			continue;
		if (ts_run_index(get, ctx, &head.ranks[i].index, rank, work, &index, err))
			return err->status;
		for (size_t k = 0; k < index.n_files; k++)
			if (ts_span_eq(index.files[k].name, name)) {
				*ret_file = &index.files[k];
				return TS_OK;
			}
	}
	return ts_error_set(err, TS_NOT_FOUND, "rank %d has no file %.*s", (int)rank, TS_SPAN_ARG(name));
}

enum ts_status ts_run_file(ts_object_source *get, void *ctx, const struct ts_id *head, int32_t rank, struct ts_span name,
			   struct ts_arena *arena, struct ts_span *ret_bytes, struct ts_error *err)
{
	const struct ts_file *file = NULL;
	struct ts_arena work;
	enum ts_status status;
	uint8_t *bytes = NULL;
	struct ts_span span = {0};

	ts_arena_init(&work, TS_ANALYSIS_ARENA);
	status = find(get, ctx, head, rank, name, &work, &file, err);
	if (!status) {
		bytes = ts_arena_alloc(arena, (size_t)file->size);
		status = bytes ? copy_chunks(get, ctx, file, bytes, err) : ts_arena_error(arena, err);
		span = ts_span_of(bytes, (size_t)file->size);
	}
	ts_arena_finish(&work);
	if (!status)
		*ret_bytes = span;
	return status;
}
