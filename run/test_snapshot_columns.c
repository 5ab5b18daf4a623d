/* Writes the columns of a snapshot that has a row in every table, and loads them again; then loads what no writer makes. */
#include "base/alloc.h"
#include "base/limits.h"
#include "run/head.h"
#include "run/snapshot_columns.h"
#include "run/test_objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct ts_span texts[] = {{(const uint8_t *)"a.py", 4}, {(const uint8_t *)"", 0}, {(const uint8_t *)"f", 1}};
static const struct ts_snapshot_frame frames[] = {{0, 2, 7}, {0, TS_SNAPSHOT_NONE, -1}};
static const struct ts_snapshot_stack stacks[] = {{0, 2}, {1, 1}};
static const uint32_t stack_frames[] = {1, 0};
static const struct ts_snapshot_segment segments[] = {{.address = UINT64_MAX,
						       .total = 1,
						       .stream = 5,
						       .pool = {1, 2},
						       .first_block = 1,
						       .n_blocks = 1,
						       .stack = 1,
						       .device = 1,
						       .small = true},
						      {.address = 4096, .stack = TS_SNAPSHOT_NONE, .n_blocks = 1, .expandable = true}};
static const struct ts_snapshot_block blocks[] = {{1, 2, 3, 0, TS_BLOCK_OTHER}, {4, 5, 6, TS_SNAPSHOT_NONE, TS_BLOCK_ACTIVE}};
static const struct ts_snapshot_event events[] = {
	{1, 2, 3, {7, 8}, INT64_MIN, 0, 1, TS_SNAPSHOT_NONE, TS_ACTION_OTHER},
	{4, 5, 6, {TS_SNAPSHOT_NO_POOL, TS_SNAPSHOT_NO_POOL}, -7, TS_SNAPSHOT_NONE, 2, 0, TS_ACTION_OOM}};
static const struct ts_snapshot_mark marks[] = {{-5, 1, 2, UINT16_MAX}};
static const struct ts_snapshot_setting settings[] = {{{(const uint8_t *)"key", 3}, {NULL, 0}}};
static const struct ts_snapshot_unknown unknown[] = {{2, UINT64_MAX, TS_SNAPSHOT_NO_PLACE}, {1, 3, 77}};
static const struct ts_snapshot_device devices[] = {{0, 1}, {1, 1}};

static const struct ts_snapshot made = {.texts = texts,
					.frames = frames,
					.stacks = stacks,
					.stack_frames = stack_frames,
					.segments = segments,
					.blocks = blocks,
					.events = events,
					.marks = marks,
					.settings = settings,
					.unknown = unknown,
					.devices = devices,
					.n_texts = 3,
					.n_frames = 2,
					.n_stacks = 2,
					.n_stack_frames = 2,
					.n_segments = 2,
					.n_blocks = 2,
					.n_events = 2,
					.n_marks = 1,
					.n_settings = 1,
					.n_unknown = 2,
					.n_devices = 2,
					.traced = true,
					.n_passed = 9,
					.pickle_bytes = 1000,
					.trailing_bytes = 3};

static enum ts_status get(void *ctx, const struct ts_id *id, struct ts_arena *arena, struct ts_span *ret_object, struct ts_error *err)
{
	const struct test_objects *objects = ctx;

	if (!test_objects_has(objects, id))
		return ts_error_set(err, TS_NOT_FOUND, "no such object");
	*ret_object = ts_arena_span(arena, test_objects_find(objects, id));
	return ret_object->data ? TS_OK : ts_arena_error(arena, err);
}

/* Rows have bytes between their members, so they are compared member by member. */
static void same_segments(const struct ts_snapshot *s)
{
	for (size_t i = 0; i < 2; i++) {
		const struct ts_snapshot_segment *a = &s->segments[i], *b = &segments[i];

		assert_true(a->address == b->address && a->total == b->total && a->allocated == b->allocated && a->active == b->active);
		assert_true(a->requested == b->requested && a->stream == b->stream && a->pool[0] == b->pool[0] &&
			    a->pool[1] == b->pool[1]);
		assert_true(a->first_block == b->first_block && a->n_blocks == b->n_blocks && a->stack == b->stack);
		assert_true(a->device == b->device && a->small == b->small && a->expandable == b->expandable);
	}
}

static void same_rows(const struct ts_snapshot *s)
{
	for (size_t i = 0; i < 2; i++) {
		const struct ts_snapshot_block *a = &s->blocks[i], *b = &blocks[i];
		const struct ts_snapshot_event *c = &s->events[i], *d = &events[i];

		assert_true(a->address == b->address && a->size == b->size && a->requested == b->requested && a->stack == b->stack &&
			    a->state == b->state);
		assert_true(c->address == d->address && c->size == d->size && c->stream == d->stream && c->time_us == d->time_us);
		assert_true(c->pool[0] == d->pool[0] && c->pool[1] == d->pool[1]);
		assert_true(c->stack == d->stack && c->context == d->context && c->metadata == d->metadata && c->action == d->action);
		assert_true(s->stacks[i].first == stacks[i].first && s->stacks[i].n == stacks[i].n);
	}
	assert_memory_equal(s->frames, frames, sizeof frames);
	assert_memory_equal(s->stack_frames, stack_frames, sizeof stack_frames);
	assert_memory_equal(s->devices, devices, sizeof devices);
	assert_true(s->marks[0].time_us == -5 && s->marks[0].name == 1 && s->marks[0].stage == 2 && s->marks[0].device == UINT16_MAX);
	assert_true(s->unknown[0].key == 2 && s->unknown[0].n == UINT64_MAX && s->unknown[0].at == TS_SNAPSHOT_NO_PLACE);
	assert_true(s->unknown[1].key == 1 && s->unknown[1].n == 3 && s->unknown[1].at == 77);
}

static void same(const struct ts_snapshot *s)
{
	assert_true(s->n_texts == 3 && s->n_frames == 2 && s->n_stacks == 2 && s->n_stack_frames == 2 && s->n_segments == 2);
	assert_true(s->n_blocks == 2 && s->n_events == 2 && s->n_marks == 1 && s->n_settings == 1 && s->n_unknown == 2 &&
		    s->n_devices == 2);
	assert_true(s->traced && s->n_passed == 9 && s->pickle_bytes == 1000 && s->trailing_bytes == 3);
	for (size_t i = 0; i < 3; i++)
		assert_true(ts_span_eq(s->texts[i], texts[i]));
	assert_true(ts_span_is(s->settings[0].name, "key") && s->settings[0].value.len == 0);
	same_segments(s);
	same_rows(s);
}

static void test_comes_back(void **state)
{
	enum ts_status status = TS_NO_MEMORY;

	(void)state;
	for (size_t n = 1; status; n++) { /* with the n-th allocation failing */
		struct test_objects objects = {0};
		struct ts_snapshot snapshot;
		struct ts_arena arena;
		struct ts_error err;
		struct ts_id id;

		ts_arena_init(&arena, 0);
		(void)ts_alloc_fail_at(n);
		status = ts_snapshot_columns_write(&made, test_objects_sink, &objects, &id, &err);
		if (!status)
			status = ts_snapshot_columns_load(get, &objects, &id, &arena, &snapshot, &err);
		(void)ts_alloc_fail_at(0);
		assert_true(!status || status == TS_NO_MEMORY);
		if (!status)
			same(&snapshot);
		ts_arena_finish(&arena);
		test_objects_finish(&objects);
	}
}

/* Of files before torch 2.10 the columns are what they were: a push of one of them has the id that it had. */
static void test_pools_that_no_event_says_are_not_written(void **state)
{
	const struct ts_snapshot_event *second = &events[1];
	struct test_objects objects = {0};
	struct ts_snapshot without = made, snapshot;
	struct ts_index index = {0};
	struct ts_arena arena;
	struct ts_error err;
	struct ts_id id;

	(void)state;
	without.events = second;
	without.n_events = 1;
	without.devices = &(const struct ts_snapshot_device){0, 1};
	without.n_devices = 1;
	without.n_segments = 0;
	ts_arena_init(&arena, 0);
	assert_int_equal(ts_snapshot_columns_write(&without, test_objects_sink, &objects, &id, &err), TS_OK);
	(void)test_objects_index(&objects, &id, &arena, &index);
	for (size_t t = 0; t < index.n_tables; t++)
		if (index.tables[t].kind == TS_TABLE_SNAPSHOT_EVENTS)
			assert_int_equal(index.tables[t].n_columns, 8);
	assert_int_equal(ts_snapshot_columns_load(get, &objects, &id, &arena, &snapshot, &err), TS_OK);
	assert_int_equal(snapshot.n_events, 1);
	assert_true(snapshot.events[0].pool[0] == TS_SNAPSHOT_NO_POOL && snapshot.events[0].pool[1] == TS_SNAPSHOT_NO_POOL);
	ts_arena_finish(&arena);
	test_objects_finish(&objects);
}

static struct ts_column *column_of(struct ts_index *index, enum ts_table_kind kind, const char *name)
{
	for (size_t t = 0; t < index->n_tables; t++)
		for (size_t i = 0; index->tables[t].kind == kind && i < index->tables[t].n_columns; i++)
			if (ts_span_is(index->tables[t].columns[i].name, name))
				return &index->tables[t].columns[i];
	fail_msg("no column %s", name);
	return NULL;
}

/* Gives the cells of one column to another. */
static void refuse(enum ts_table_kind kind, const char *to, enum ts_table_kind kind_from, const char *from)
{
	struct ts_buf scratch = TS_BUF_INIT(TS_OBJECT_MAX);
	struct test_objects objects = {0};
	struct ts_index index = {0};
	struct ts_snapshot snapshot;
	struct ts_arena arena;
	struct ts_error err;
	struct ts_id id;

	ts_arena_init(&arena, 0);
	assert_int_equal(ts_snapshot_columns_write(&made, test_objects_sink, &objects, &id, &err), TS_OK);
	(void)test_objects_index(&objects, &id, &arena, &index);
	column_of(&index, kind, to)->blocks = column_of(&index, kind_from, from)->blocks;
	assert_int_equal(ts_index_encode(&index, test_objects_sink, &objects, &scratch, &id, &err), TS_OK);
	if (ts_snapshot_columns_load(get, &objects, &id, &arena, &snapshot, &err) != TS_DAMAGED)
		fail_msg("%s with the cells of %s is taken", to, from);
	ts_buf_finish(&scratch);
	ts_arena_finish(&arena);
	test_objects_finish(&objects);
}

static void test_refused(void **state)
{
	const enum ts_table_kind of_events = TS_TABLE_SNAPSHOT_EVENTS, of_blocks = TS_TABLE_SNAPSHOT_BLOCKS;

	(void)state;
	refuse(of_blocks, "stack", of_events, "size");			       /* no such stack */
	refuse(of_blocks, "state", of_blocks, "size");			       /* 5: no such state */
	refuse(of_events, "context", of_events, "address");		       /* no such text */
	refuse(of_events, "action", of_events, "time_us");		       /* not 8 bits */
	refuse(TS_TABLE_SNAPSHOT_STACK_FRAMES, "frame", of_events, "address"); /* no such frame */
	refuse(TS_TABLE_SNAPSHOT_STACKS, "n", of_events, "address");	       /* more frames than there are */
	refuse(TS_TABLE_SNAPSHOT_SEGMENTS, "first_block", of_events, "size");
	refuse(TS_TABLE_SNAPSHOT_SEGMENTS, "device", of_events, "stream");
	refuse(TS_TABLE_SNAPSHOT_SEGMENTS, "small", of_events, "address");
	refuse(TS_TABLE_SNAPSHOT_DEVICES, "n_events", of_events, "size");
	refuse(TS_TABLE_SNAPSHOT_SETTINGS, "name", TS_TABLE_SNAPSHOT_UNKNOWN, "n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_comes_back),
					   cmocka_unit_test(test_pools_that_no_event_says_are_not_written),
					   cmocka_unit_test(test_refused)};
	struct ts_error err;

	if (ts_digest_init(&err))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
