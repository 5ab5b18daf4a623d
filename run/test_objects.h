/* test_objects.h - for tests of this room: a sink that keeps the objects that it is given, and functions that read them.
 *
 * All functions assert. Memory comes from malloc, so that a test may make ts_alloc fail around it.
 */
#ifndef TSCOPE_RUN_TEST_OBJECTS_H
#define TSCOPE_RUN_TEST_OBJECTS_H

#include "run/head.h"
#include "run/index.h"

struct test_object {
	struct ts_id id;
	struct ts_span bytes;
};

struct test_objects {
	struct test_object *items;
	size_t n, cap;
};

enum ts_status test_objects_sink(void *objects, const struct ts_id *id, struct ts_span object, struct ts_error *err);
void test_objects_finish(struct test_objects *objects);
bool test_objects_has(const struct test_objects *objects, const struct ts_id *id);
struct ts_span test_objects_find(const struct test_objects *objects, const struct ts_id *id);

/* Decodes the whole chain of an index; arrays lie in the arena. Returns how many objects the chain has. */
size_t test_objects_index(const struct test_objects *objects, const struct ts_id *id, struct ts_arena *arena,
			  struct ts_index *ret_index);
/* All keys of a table, and all values of a column (u64, or f64 as bits), as many as the table has rows. */
int64_t *test_objects_keys(const struct test_objects *objects, const struct ts_table *table, struct ts_arena *arena);
uint64_t *test_objects_words(const struct test_objects *objects, const struct ts_table *table,
			     const struct ts_column *column, struct ts_arena *arena);
struct ts_span *test_objects_texts(const struct test_objects *objects, const struct ts_table *table,
				   const struct ts_column *column, struct ts_arena *arena);

/* The next number of a deterministic stream (splitmix64). */
uint64_t test_random(uint64_t *state);

#endif
