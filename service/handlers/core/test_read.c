/* What is read back is what was written, and what does not fit the index is named and refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/block.h"
#include "service/handlers/core/describe.h"
#include "service/handlers/core/run_steps.h"
#include "service/handlers/core/test_series_runs.h"

#include <stdlib.h>

static const struct ts_column *column(const struct ts_index *index, const char *name, const struct ts_table **table)
{
	const struct ts_column *c = ts_index_column(index, TS_TABLE_STEPS, ts_span_str(name), 0, table);

	assert_non_null(c);
	return c;
}

static void columns_come_back(void **state)
{
	enum { ROWS = 40000 }; /* three blocks of 2^14 steps */
	static const char *const words[] = {"red", "", "green"};
	const struct ts_table *table;
	const struct ts_column *c;
	const struct ts_index *index;
	struct cells cells = {.n = 0};
	struct ts_span texts[ROWS / 100];
	struct ts_run run;
	struct ts_error err;
	struct ts_id id;
	struct world w;
	int64_t *keys;
	uint64_t *u;
	double *f;

	(void)state;
	world_open(&w);
	for (int64_t i = 0; i < ROWS; i++) {
		cells_add(&cells, 3, "scalars.loss", i - 7, (double)i / 3.0);
		cells_add_word(&cells, 3, "digests.params", i - 7, (uint64_t)i << 40);
		if (i % 100 == 0)
			cells_add_text(&cells, 3, "tags.colour", i - 7, words[i / 100 % 3]);
	}
	id = make_run(&w, &cells, NULL, 0);
	must(ts_run_open(&w.fetch, &id, &w.arena, &run, &err), &err);
	assert_null(ts_run_rank(&run, 0));
	index = ts_run_rank(&run, 3);
	c = column(index, "scalars.loss", &table);
	assert_true(table->n_blocks >= 3);
	must(ts_fetch_keys(&w.fetch, table, &w.arena, &keys, &err), &err);
	must(ts_fetch_f64(&w.fetch, table, c, &w.arena, &f, &err), &err);
	c = column(index, "digests.params", &table);
	must(ts_fetch_u64(&w.fetch, table, c, &w.arena, &u, &err), &err);
	for (int64_t i = 0; i < ROWS; i++) {
		assert_int_equal(keys[i], i - 7);
		assert_true(f[i] == (double)i / 3.0);
		assert_int_equal(u[i], (uint64_t)i << 40);
	}
	c = column(index, "tags.colour", &table);
	assert_int_equal(table->rows, ROWS / 100);
	must(ts_fetch_keys(&w.fetch, table, &w.arena, &keys, &err), &err);
	for (size_t i = 0, at = 0; i < table->n_blocks; at += table->blocks[i++].rows)
		must(ts_fetch_block_text(&w.fetch, &c->blocks[i], table->blocks[i].rows, &w.arena, texts + at, &err), &err);
	for (int64_t i = 0; i < ROWS / 100; i++) {
		assert_int_equal(keys[i], i * 100 - 7);
		assert_true(ts_span_is(texts[i], words[i % 3]));
	}
	cells_free(&cells);
	world_close(&w);
}

/* --- distinct steps --- */

static int by_number(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return (a > b) - (a < b);
}

static size_t distinct(int64_t *steps, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(steps, n, sizeof *steps, by_number);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || steps[kept - 1] != steps[i])
			steps[kept++] = steps[i];
	return kept;
}

/* Makes series of all cadences and starts, dense and sparse, on one rank. */
static void random_steps(uint64_t *seed, struct cells *out)
{
	static const char *const names[] = {"scalars.a", "scalars.b", "scalars.c", "scalars.d"};
	size_t n = 1 + draw_below(seed, 4);

	for (size_t s = 0; s < n; s++) {
		int64_t step = (int64_t)draw_below(seed, 50) - 10, stride = 1 + (int64_t)draw_below(seed, 4);
		size_t rows = 1 + draw_below(seed, 300);

		for (size_t i = 0; i < rows; i++) {
			cells_add(out, 0, names[s], step, 1.0);
			/* Large steps make many small blocks. */
			step += draw_below(seed, 20) == 0 ? 9000 + (int64_t)draw_below(seed, 9000) : stride;
		}
	}
}

static void distinct_steps_of_overlapping_tables(void **state)
{
	(void)state;
	for (uint64_t round = 1; round <= 200; round++) {
		uint64_t seed = round * UINT64_C(0x9e3779b97f4a7c15), count;
		struct cells cells = {.n = 0};
		struct ts_step_set set;
		struct ts_run_ref ref;
		struct ts_run run;
		struct ts_error err;
		struct ts_id id;
		struct world w;
		int64_t *plain, *steps;
		size_t n, n_steps;

		world_open(&w);
		random_steps(&seed, &cells);
		id = make_run(&w, &cells, NULL, 0);
		plain = test_malloc(cells.n * sizeof *plain);
		for (size_t i = 0; i < cells.n; i++)
			plain[i] = cells.items[i].step;
		n = distinct(plain, cells.n);
		must(ts_run_open(&w.fetch, &id, &w.arena, &run, &err), &err);
		must(ts_steps_of(&run.indexes[0], NULL, &w.arena, &set, &err), &err);
		must(ts_steps_count(&w.fetch, &set, &count, &err), &err);
		must(ts_steps_fetch(&w.fetch, &set, &w.arena, &steps, &n_steps, &err), &err);
		must(ts_run_describe(&w.fetch, &run, &ref, &err), &err);
		assert_int_equal(count, n);
		assert_int_equal(n_steps, n);
		assert_memory_equal(steps, plain, n * sizeof *plain);
		assert_int_equal(ref.steps, n);
		assert_int_equal(ref.first_step, plain[0]);
		assert_int_equal(ref.last_step, plain[n - 1]);
		test_free(plain);
		cells_free(&cells);
		world_close(&w);
	}
}

static void ranges_join(void **state)
{
	struct ts_step_range items[] = {
		{10, 12}, {1, 3}, {4, 4}, {11, 15}, {INT64_MAX - 1, INT64_MAX}, {INT64_MIN, INT64_MIN}};
	struct ts_step_ranges ranges = {.items = items, .n = 6, .cap = 6};

	(void)state;
	assert_int_equal(ts_step_ranges_join(&ranges), 1 + 4 + 6 + 2);
	assert_int_equal(ranges.n, 4);
	assert_int_equal(items[1].first, 1);
	assert_int_equal(items[1].last, 4);
	assert_int_equal(items[2].last, 15);
}

static void the_rank_with_most_steps_counts(void **state)
{
	struct told name = {TS_RANK_JOB, "session.name", "my run", 0};
	struct cells cells = {.n = 0};
	struct ts_run_ref ref;
	struct ts_run run;
	struct ts_error err;
	struct ts_id id;
	struct world w;

	(void)state;
	world_open(&w);
	for (int64_t i = 0; i < 10; i++)
		cells_add(&cells, 0, "scalars.loss", 5 + i, 1.0);
	for (int64_t i = 0; i < 30; i += 2)
		cells_add(&cells, 4, "scalars.loss", i, 1.0);
	id = make_run(&w, &cells, &name, 1);
	must(ts_run_open(&w.fetch, &id, &w.arena, &run, &err), &err);
	must(ts_run_describe(&w.fetch, &run, &ref, &err), &err);
	assert_int_equal(ref.ranks, 2);
	assert_int_equal(ref.steps, 15);
	assert_int_equal(ref.first_step, 0);
	assert_int_equal(ref.last_step, 28);
	assert_true(ts_span_is(ref.own_name, "my run"));
	cells_free(&cells);
	world_close(&w);
}

static void facts_of_a_rank_overlay_the_head(void **state)
{
	static const struct told told[] = {
		{TS_RANK_JOB, "config.a", "1", 0}, {TS_RANK_JOB, "config.b", "2", 0}, {0, "config.a", "3", 0},
		{0, "config.b", NULL, 0},          {0, "config.c", "4", 0},
	};
	struct cells none = {.n = 0};
	struct ts_facts facts;
	struct ts_run run;
	struct ts_error err;
	struct ts_id id;
	struct world w;

	(void)state;
	world_open(&w);
	id = make_run(&w, &none, told, 5);
	must(ts_run_open(&w.fetch, &id, &w.arena, &run, &err), &err);
	must(ts_run_facts(&run, &run.indexes[0], &w.arena, &facts, &err), &err);
	assert_int_equal(facts.n, 2);
	assert_true(ts_span_is(facts.items[0].text, "3"));
	assert_true(ts_span_is(facts.items[1].path, "config.c"));
	must(ts_run_facts(&run, NULL, &w.arena, &facts, &err), &err);
	assert_int_equal(facts.n, 2);
	assert_true(ts_span_is(facts.items[1].text, "2"));
	world_close(&w);
}

/* --- inconsistent objects --- */

static enum ts_status sink(void *ctx, const struct ts_id *id, struct ts_span object, struct ts_error *err)
{
	(void)id;
	(void)err;
	(void)put_object(ctx, object);
	return TS_OK;
}

/* Builds and opens a run with one table of three rows that has these ids; rows is as given. */
static void open_forged(struct world *w, struct ts_block block, struct ts_id values, struct ts_run *run)
{
	struct ts_column c = {.name = ts_span_str("scalars.loss"), .type = TS_COLUMN_F64, .blocks = &values};
	struct ts_table table = {
		.kind = TS_TABLE_STEPS,
		.key_log2 = 14,
		.rows = block.rows,
		.blocks = &block,
		.n_blocks = 1,
		.columns = &c,
		.n_columns = 1,
	};
	struct ts_index index = {.tables = &table, .n_tables = 1};
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	struct ts_rank_ref ref = {.rank = 0};
	struct ts_head head = {.ranks = &ref, .n_ranks = 1};
	struct ts_error err;
	struct ts_id id;

	must(ts_index_encode(&index, sink, w, &out, &ref.index, &err), &err);
	ts_buf_reset(&out);
	must(ts_head_encode(&head, &out, &err), &err);
	id = put_object(w, ts_buf_view(&out));
	ts_buf_finish(&out);
	must(ts_run_open(&w->fetch, &id, &w->arena, run, &err), &err);
}

static struct ts_id put_keys(struct world *w, const int64_t *keys, size_t n)
{
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	struct ts_id id;

	ts_block_keys_encode(keys, n, &out);
	id = put_object(w, ts_buf_view(&out));
	ts_buf_finish(&out);
	return id;
}

static struct ts_id put_values(struct world *w, size_t n)
{
	static const double values[8] = {0.5};
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	struct ts_id id;

	ts_block_f64_encode(values, n, &out);
	id = put_object(w, ts_buf_view(&out));
	ts_buf_finish(&out);
	return id;
}

static void expect_damaged(enum ts_status status, const struct ts_error *err, const struct ts_id *id)
{
	char hex[TS_ID_HEX + 1];

	assert_int_equal(status, TS_DAMAGED);
	if (!strstr(err->text, ts_id_hex(id, hex)))
		fail_msg("%s does not name %s", err->text, hex);
}

static void keys_are_held_against_the_index(void **state)
{
	static const int64_t keys[] = {1, 5, 9};
	struct ts_block block = {.first_key = 1, .last_key = 9, .rows = 3};
	struct ts_error err;
	struct ts_run run;
	struct world w;
	int64_t *out;

	(void)state;
	world_open(&w);
	block.keys = put_keys(&w, keys, 3);
	open_forged(&w, block, put_values(&w, 3), &run);
	must(ts_fetch_keys(&w.fetch, &run.indexes[0].tables[0], &w.arena, &out, &err), &err);
	block.first_key = 0;
	open_forged(&w, block, put_values(&w, 3), &run);
	expect_damaged(ts_fetch_keys(&w.fetch, &run.indexes[0].tables[0], &w.arena, &out, &err), &err, &block.keys);
	block.first_key = 1;
	block.last_key = 10;
	open_forged(&w, block, put_values(&w, 3), &run);
	expect_damaged(ts_fetch_keys(&w.fetch, &run.indexes[0].tables[0], &w.arena, &out, &err), &err, &block.keys);
	block.last_key = 9;
	block.rows = 4;
	open_forged(&w, block, put_values(&w, 4), &run);
	expect_damaged(ts_fetch_keys(&w.fetch, &run.indexes[0].tables[0], &w.arena, &out, &err), &err, &block.keys);
	world_close(&w);
}

static void values_are_held_against_the_index(void **state)
{
	static const int64_t keys[] = {1, 5, 9};
	struct ts_block block = {.first_key = 1, .last_key = 9, .rows = 3};
	const struct ts_table *table;
	struct ts_error err;
	struct ts_run run;
	struct ts_id bad;
	struct world w;
	double *out;

	(void)state;
	world_open(&w);
	block.keys = put_keys(&w, keys, 3);
	bad = put_values(&w, 2); /* too few rows */
	open_forged(&w, block, bad, &run);
	table = &run.indexes[0].tables[0];
	expect_damaged(ts_fetch_f64(&w.fetch, table, &table->columns[0], &w.arena, &out, &err), &err, &bad);
	bad = block.keys; /* a block of another kind */
	open_forged(&w, block, bad, &run);
	table = &run.indexes[0].tables[0];
	expect_damaged(ts_fetch_f64(&w.fetch, table, &table->columns[0], &w.arena, &out, &err), &err, &bad);
	memset(&bad, 0x5a, sizeof bad); /* an object that does not exist */
	open_forged(&w, block, bad, &run);
	table = &run.indexes[0].tables[0];
	expect_damaged(ts_fetch_f64(&w.fetch, table, &table->columns[0], &w.arena, &out, &err), &err, &bad);
	world_close(&w);
}

static void heads_and_indexes(void **state)
{
	static const int64_t keys[] = {1};
	struct ts_buf out = TS_BUF_INIT(1 << 20);
	struct ts_rank_ref ref = {.rank = 2};
	struct ts_head head = {.ranks = &ref, .n_ranks = 1};
	struct ts_index index = {.rank = 1};
	struct ts_error err;
	struct ts_run run;
	struct ts_id id;
	struct world w;

	(void)state;
	world_open(&w);
	memset(&id, 7, sizeof id);
	assert_int_equal(ts_run_open(&w.fetch, &id, &w.arena, &run, &err), TS_NOT_FOUND);
	id = put_keys(&w, keys, 1); /* an object that is no head */
	expect_damaged(ts_run_open(&w.fetch, &id, &w.arena, &run, &err), &err, &id);
	/* The head states that this index is of rank 2. */
	must(ts_index_encode(&index, sink, &w, &out, &ref.index, &err), &err);
	ts_buf_reset(&out);
	must(ts_head_encode(&head, &out, &err), &err);
	id = put_object(&w, ts_buf_view(&out));
	expect_damaged(ts_run_open(&w.fetch, &id, &w.arena, &run, &err), &err, &ref.index);
	/* The index does not exist. */
	memset(&ref.index, 9, sizeof ref.index);
	ts_buf_reset(&out);
	must(ts_head_encode(&head, &out, &err), &err);
	id = put_object(&w, ts_buf_view(&out));
	expect_damaged(ts_run_open(&w.fetch, &id, &w.arena, &run, &err), &err, &ref.index);
	ts_buf_finish(&out);
	world_close(&w);
}

static void stops_when_cancelled(void **state)
{
	struct cells cells = {.n = 0};
	struct ts_error err;
	struct ts_run run;
	struct ts_id id;
	struct world w;
	int64_t *keys;

	(void)state;
	world_open(&w);
	cells_add(&cells, 0, "scalars.loss", 1, 1.0);
	id = make_run(&w, &cells, NULL, 0);
	must(ts_run_open(&w.fetch, &id, &w.arena, &run, &err), &err);
	w.cancelled = true;
	assert_int_equal(ts_fetch_keys(&w.fetch, &run.indexes[0].tables[0], &w.arena, &keys, &err), TS_CANCELLED);
	assert_int_equal(ts_run_open(&w.fetch, &id, &w.arena, &run, &err), TS_CANCELLED);
	cells_free(&cells);
	world_close(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_come_back),
		cmocka_unit_test(distinct_steps_of_overlapping_tables),
		cmocka_unit_test(ranges_join),
		cmocka_unit_test(the_rank_with_most_steps_counts),
		cmocka_unit_test(facts_of_a_rank_overlay_the_head),
		cmocka_unit_test(keys_are_held_against_the_index),
		cmocka_unit_test(values_are_held_against_the_index),
		cmocka_unit_test(heads_and_indexes),
		cmocka_unit_test(stops_when_cancelled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
