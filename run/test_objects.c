#include "run/test_objects.h"

#include "run/block.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct test_object *look_up(const struct test_objects *objects, const struct ts_id *id)
{
	for (size_t i = 0; i < objects->n; i++)
		if (ts_id_eq(&objects->items[i].id, id))
			return &objects->items[i];
	return NULL;
}

enum ts_status test_objects_sink(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	struct test_objects *objects = ctx;
	struct ts_id is;
	uint8_t *copy;

	(void)err;
	ts_digest(object, &is);
	assert_memory_equal(is.bytes, id->bytes, TS_ID_BYTES);
	if (look_up(objects, id))
		return TS_OK;
	if (objects->n == objects->cap) {
		objects->cap = objects->cap ? objects->cap * 2 : 64;
		objects->items = realloc(objects->items, objects->cap * sizeof *objects->items);
		assert_non_null(objects->items);
	}
	copy = malloc(object.len);
	assert_non_null(copy);
	memcpy(copy, object.data, object.len);
	objects->items[objects->n++] = (struct test_object){*id, ts_span_of(copy, object.len)};
	return TS_OK;
}

void test_objects_finish(struct test_objects *objects)
{
	for (size_t i = 0; i < objects->n; i++) {
		uint8_t *bytes;

		memcpy(&bytes, &objects->items[i].bytes.data, sizeof bytes);
		free(bytes);
	}
	free(objects->items);
	*objects = (struct test_objects){0};
}

bool test_objects_has(const struct test_objects *objects, const struct ts_id *id)
{
	return look_up(objects, id) != NULL;
}

struct ts_span test_objects_find(const struct test_objects *objects, const struct ts_id *id)
{
	const struct test_object *object = look_up(objects, id);

	assert_non_null(object);
	return object->bytes;
}

size_t test_objects_index(const struct test_objects *objects, const struct ts_id *id, struct ts_arena *arena,
			  struct ts_index *ret_index)
{
	struct ts_index index = {0};
	struct ts_id at = *id;
	bool more = true;
	struct ts_error err = {0};
	size_t n = 0;

	for (; more; n++) {
		if (ts_index_decode(test_objects_find(objects, &at), arena, &index, &more, &at, &err))
			fail_msg("%s", err.text);
	}
	*ret_index = index;
	return n;
}

int64_t *test_objects_keys(const struct test_objects *objects, const struct ts_table *table, struct ts_arena *arena)
{
	int64_t *keys = ts_arena_array(arena, table->rows, sizeof *keys);
	struct ts_error err;
	size_t at = 0;

	assert_non_null(keys);
	for (size_t i = 0; i < table->n_blocks; i++) {
		const struct ts_block *block = &table->blocks[i];

		assert_int_equal(
			ts_block_keys_decode(test_objects_find(objects, &block->keys), block->rows, keys + at, &err),
			TS_OK);
		assert_true(keys[at] == block->first_key && keys[at + block->rows - 1] == block->last_key);
		at += block->rows;
	}
	assert_int_equal(at, table->rows);
	return keys;
}

uint64_t *test_objects_words(const struct test_objects *objects, const struct ts_table *table,
			     const struct ts_column *column, struct ts_arena *arena)
{
	uint64_t *words = ts_arena_array(arena, table->rows, sizeof *words);
	struct ts_error err;
	size_t at = 0;

	assert_non_null(words);
	for (size_t i = 0; i < table->n_blocks; i++) {
		struct ts_span object = test_objects_find(objects, &column->blocks[i]);
		uint32_t rows = table->blocks[i].rows;
		enum ts_status status;

		if (column->type == TS_COLUMN_F64)
			status = ts_block_f64_decode(object, rows, (double *)(void *)(words + at), &err);
		else
			status = ts_block_u64_decode(object, rows, words + at, &err);
		assert_int_equal(status, TS_OK);
		at += rows;
	}
	return words;
}

struct ts_span *test_objects_texts(const struct test_objects *objects, const struct ts_table *table,
				   const struct ts_column *column, struct ts_arena *arena)
{
	struct ts_span *texts = ts_arena_array(arena, table->rows, sizeof *texts);
	struct ts_error err;
	size_t at = 0;

	assert_non_null(texts);
	for (size_t i = 0; i < table->n_blocks; i++) {
		struct ts_span object = test_objects_find(objects, &column->blocks[i]);
		uint32_t rows = table->blocks[i].rows;

		assert_int_equal(ts_block_text_decode(object, rows, arena, texts + at, &err), TS_OK);
		at += rows;
	}
	return texts;
}

uint64_t test_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}
