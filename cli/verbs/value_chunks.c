#include "cli/verbs/value_chunks.h"

#include "base/cursor.h"
#include "base/door.h"
#include "base/file.h"

#include <stdio.h>

enum ts_status ts_value_chunk(int fd, const void *data, size_t n, struct ts_error *err)
{
	uint8_t head[4];

	TS_DOOR(n < UINT32_MAX);
	ts_store_u32(head, (uint32_t)n);
	return ts_write_full(fd, head, sizeof head, err) || ts_write_full(fd, data, n, err) ? err->status : TS_OK;
}

enum ts_status ts_value_texts(int fd, const struct ts_span *texts, size_t n, struct ts_arena *arena, struct ts_error *err)
{
	uint64_t *lengths = ts_arena_array(arena, n, sizeof *lengths);
	uint8_t *bytes, *to;
	size_t all = 0;

	if (!lengths)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; i++) {
		lengths[i] = texts[i].len;
		all += texts[i].len;
	}
	if (all >= UINT32_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "the texts of a column have %zu bytes", all);
	bytes = to = ts_arena_alloc(arena, all);
	if (!bytes)
		return ts_arena_error(arena, err);
	for (size_t i = 0; i < n; to += texts[i++].len)
		if (texts[i].len)
			memcpy(to, texts[i].data, texts[i].len);
	return ts_value_chunk(fd, lengths, n * sizeof *lengths, err) || ts_value_chunk(fd, bytes, all, err) ? err->status : TS_OK;
}

void ts_value_error(int fd, const struct ts_error *error)
{
	uint8_t head[8];
	char text[1024];
	int n = snprintf(text, sizeof text, "%s: %s", ts_status_word(error->status), error->text);
	struct ts_error unused;

	ts_store_u32(head, UINT32_MAX);
	ts_store_u32(head + 4, (uint32_t)(n < (int)sizeof text ? n : (int)sizeof text - 1));
	if (!ts_write_full(fd, head, sizeof head, &unused))
		ts_write_full(fd, text, strlen(text), &unused);
}
