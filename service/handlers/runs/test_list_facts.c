/* Facts by which lists filter are kept as extracts: as they were, in a bounded number of slots, and so that no head is opened twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/cursor.h"
#include "service/handlers/core/test_runs.h"
#include "service/handlers/runs/fact_pack.h"
#include "service/handlers/runs/fact_slots.h"
#include "service/handlers/runs/list_facts.h"

enum { RUNS = 2 * TS_LIST_FACTS_FEW };
#define DAY_NS (INT64_C(86400) * 1000000000)

static struct test_store store;

/* Names a run of one step by the engine: a commit through the handler would read the run again. */
static void name_run(const char *name, double scale, double lr)
{
	struct test_run run = test_run_plain();
	struct ts_ref_update u = {
		.kind = TS_REF_RUN, .name = ts_span_str(name), .expect = TS_EXPECT_ABSENT, .now_ns = 1, .who = ts_span_str("me")};

	run.steps = 1;
	run.scale = scale;
	run.lr = lr;
	u.id = test_run_put(&store, &run);
	must(store.engine->ops->commit(store.engine, &u, 1, &store.arena, NULL, &store.err), &store.err);
}

/* Every second run records config.lr, its number in thousandths. */
static int setup(void **state)
{
	(void)state;
	test_store_open(&store);
	for (int i = 0; i < RUNS; i++) {
		char name[32];

		(void)snprintf(name, sizeof name, "p/run-%03d", i);
		name_run(name, i + 1, i % 2 ? i / 1000.0 : 0);
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	test_store_close(&store);
	return 0;
}

/* ---- bytes ---- */

static const struct ts_fact facts[] = {
	{.type = TS_FACT_INT, .source = TS_SOURCE_HOST, .integer = INT64_MIN},
	{.type = TS_FACT_FLOAT, .source = TS_SOURCE_RUN_JSON, .real = -0.0},
	{.type = TS_FACT_BOOL, .source = TS_SOURCE_RUN_JSON, .boolean = true},
	{.type = TS_FACT_NULL, .source = TS_SOURCE_PUSHER},
	{.type = TS_FACT_TEXT, .source = TS_SOURCE_PUSHER, .text = {(const uint8_t *)"a\0b", 3}},
	{.type = TS_FACT_TEXT, .source = TS_SOURCE_PUSHER, .text = {(const uint8_t *)"", 0}},
	{.type = TS_FACT_NUMBER, .source = TS_SOURCE_RUN_JSON, .text = {(const uint8_t *)"99999999999999999999", 20}},
	{.type = TS_FACT_ARRAY, .source = TS_SOURCE_RUN_JSON},
	{.type = TS_FACT_OBJECT, .source = TS_SOURCE_FACTS_JSON},
	{.type = TS_FACT_LONG, .source = TS_SOURCE_PUSHER, .text_id = {{1, 2, 3}}, .text_len = 5000},
};
enum { FACTS = sizeof facts / sizeof facts[0], TEXT_MAX = 24 };

static struct ts_span pack(const struct ts_fact *fact)
{
	static uint8_t room[64];
	struct ts_buf buf = {.data = room, .cap = sizeof room, .ceiling = sizeof room};

	assert_true(ts_fact_pack(fact, TEXT_MAX, &buf));
	must(ts_buf_check(&buf, &store.err), &store.err);
	return ts_buf_view(&buf);
}

static void what_is_packed_comes_back(void **state)
{
	struct ts_fact got;

	(void)state;
	for (size_t i = 0; i < FACTS; i++) {
		assert_int_equal(ts_fact_unpack(pack(&facts[i]), &got), TS_RECALL_FACT);
		assert_true(got.type == facts[i].type && got.source == facts[i].source && got.boolean == facts[i].boolean);
		assert_true(got.integer == facts[i].integer && memcmp(&got.real, &facts[i].real, sizeof got.real) == 0);
		assert_true(ts_span_eq(got.text, facts[i].text));
		assert_true(ts_id_eq(&got.text_id, &facts[i].text_id) && got.text_len == facts[i].text_len);
	}
	assert_int_equal(ts_fact_unpack(pack(NULL), &got), TS_RECALL_ABSENT);
}

/* Only the head says what is longer than a value may be. */
static void what_does_not_fit_is_not_packed(void **state)
{
	struct ts_fact text = {.type = TS_FACT_TEXT, .text = ts_span_str("a text of more bytes than fit")};
	uint8_t room[64];
	struct ts_buf buf = {.data = room, .cap = sizeof room, .ceiling = sizeof room};

	(void)state;
	assert_false(ts_fact_pack(&text, TEXT_MAX, &buf));
	assert_int_equal(buf.len, 0);
}

static void other_bytes_are_no_fact(void **state)
{
	static const uint8_t other[][4] = {{9, 1}, {200, 1}, {TS_FACT_NULL, 0}, {TS_FACT_NULL, 5}, {TS_FACT_INT, 1, 7}, {255, 1}};
	struct ts_fact got;

	(void)state;
	for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
		assert_int_equal(ts_fact_unpack(ts_span_of(other[i], i == 4 ? 3 : 2), &got), TS_RECALL_NOTHING);
	for (size_t i = 0; i < FACTS; i++) {
		struct ts_span whole = pack(&facts[i]);
		size_t least = facts[i].type == TS_FACT_TEXT || facts[i].type == TS_FACT_NUMBER ? 2 : whole.len;

		for (size_t n = 0; n < least; n++)
			assert_int_equal(ts_fact_unpack(ts_span_of(whole.data, n), &got), TS_RECALL_NOTHING);
	}
}

/* ---- slots ---- */

static struct ts_span path_of(int n)
{
	return ts_span_str(ts_arena_printf(&store.arena, "config.key%d", n));
}

static void slots_are_few_and_given_to_others_after_a_week(void **state)
{
	struct ts_fact_slot first, slot;
	int64_t now = 20000 * DAY_NS;

	(void)state;
	assert_false(ts_fact_slot_find(store.engine, path_of(0), now, &slot));
	assert_true(ts_fact_slot_take(store.engine, path_of(0), now, &first));
	for (int i = 1; i < TS_FACT_SLOTS; i++)
		assert_true(ts_fact_slot_take(store.engine, path_of(i), now + DAY_NS, &slot));
	assert_false(ts_fact_slot_take(store.engine, path_of(99), now + 7 * DAY_NS, &slot));
	/* Somebody asks for the first again, so on the ninth day that of the second is the oldest. */
	assert_true(ts_fact_slot_find(store.engine, path_of(0), now + 7 * DAY_NS, &slot));
	assert_memory_equal(&slot, &first, sizeof slot);
	assert_true(ts_fact_slot_take(store.engine, path_of(99), now + 9 * DAY_NS, &slot));
	assert_false(ts_fact_slot_find(store.engine, path_of(1), now + 9 * DAY_NS, &slot));
	assert_true(ts_fact_slot_find(store.engine, path_of(99), now + 9 * DAY_NS, &slot));
	assert_true(ts_fact_slot_find(store.engine, path_of(0), now + 9 * DAY_NS, &slot));
	assert_memory_equal(&slot, &first, sizeof slot);
}

static void a_record_of_a_newer_tscope_is_left_alone(void **state)
{
	struct ts_record record = {ts_span_str("list/facts"), ts_span_str("of another form")};
	struct ts_fact_slot slot;
	struct ts_span kept;

	(void)state;
	must(store.engine->ops->record_put(store.engine, &record, NULL, &store.err), &store.err);
	assert_false(ts_fact_slot_take(store.engine, path_of(0), 0, &slot));
	must(store.engine->ops->record_get(store.engine, record.key, &store.arena, &kept, &store.err), &store.err);
	assert_true(ts_span_eq(kept, record.value));
}

/* ---- lists ---- */

static const struct ts_engine_ops *real_ops;
static unsigned opened, kept_runs;

static enum ts_status count_opened(struct ts_engine *e, const struct ts_id *id, struct ts_arena *arena, struct ts_sealed *ret,
				   struct ts_error *err)
{
	opened++;
	return real_ops->get(e, id, arena, ret, err);
}

static enum ts_status count_kept(struct ts_engine *e, const struct ts_extracts *runs, size_t n, struct ts_error *err)
{
	kept_runs += (unsigned)n;
	return real_ops->extracts_put(e, runs, n, err);
}

static struct ts_list_reply list(const char *project, const char *filter)
{
	struct ts_list_request request = {.project = ts_span_str(project),
					  .kind = TS_REF_RUN,
					  .page_size = 1000,
					  .sort = ts_span_str("name"),
					  .filter = ts_span_str(filter)};
	struct ts_engine_ops counting = *store.engine->ops;
	struct ts_list_reply reply;

	real_ops = store.engine->ops;
	counting.get = count_opened;
	counting.extracts_put = count_kept;
	opened = kept_runs = 0;
	store.engine->ops = &counting;
	must(test_list(&store, &request, &reply), &store.err);
	store.engine->ops = real_ops;
	return reply;
}

static void same_rows(const struct ts_list_reply *a, const struct ts_list_reply *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++)
		assert_true(ts_span_eq(a->rows[i].name, b->rows[i].name));
	assert_int_equal(a->n_unrecorded, b->n_unrecorded);
}

/* 0.015 has run 15, so of the odd runs from 17 on there are (RUNS - 16) / 2. */
static void a_head_is_opened_once_for_a_fact(void **state)
{
	struct ts_list_reply first = list("p", "config.lr > 0.0155 or config.nowhere = 1"), again;

	(void)state;
	assert_int_equal(first.n, (RUNS - 16) / 2);
	assert_int_equal(opened, RUNS);
	assert_in_range(kept_runs, RUNS + TS_LIST_FACTS_FEW, 2 * RUNS); /* where the first part is true, the second is not asked */
	again = list("p", "config.lr > 0.0155 or config.nowhere = 1");
	same_rows(&first, &again);
	assert_in_range(opened, 1, 2 * TS_LIST_FACTS_FEW);
	assert_int_equal(kept_runs, 0);
	assert_int_equal(list("p", "config.other = 1").n, 0);
	assert_int_equal(opened, RUNS);
}

/* New runs are opened, and written when they are many. */
static void what_is_new_is_opened(void **state)
{
	struct ts_list_reply reply;

	(void)state;
	(void)list("p", "config.lr > 0.0155");
	for (int i = 0; i < 5; i++) {
		char name[32];

		(void)snprintf(name, sizeof name, "p/new-%d", i);
		name_run(name, 0.5 / (i + 1), 0.9);
	}
	reply = list("p", "config.lr > 0.8");
	assert_int_equal(reply.n, 5);
	assert_in_range(opened, 5, TS_LIST_FACTS_FEW + 5);
	assert_int_equal(kept_runs, 0);
}

static void a_small_project_writes_nothing(void **state)
{
	(void)state;
	for (int i = 0; i < TS_LIST_FACTS_FEW; i++) {
		char name[32];

		(void)snprintf(name, sizeof name, "small/%d", i);
		name_run(name, -i - 1, 0.9);
	}
	assert_int_equal(list("small", "config.lr > 0.8").n, TS_LIST_FACTS_FEW);
	assert_int_equal(kept_runs, 0);
}

/* The slot of config.lr is given to config.batch, of which no run says anything; the values of config.lr are still there. */
static void values_of_a_former_fact_are_not_taken(void **state)
{
	struct ts_record record = {ts_span_str("list/facts"), {0}};
	struct ts_list_reply reply;
	uint8_t row[TS_FACT_MARK + 4];
	struct ts_id digest;

	(void)state;
	(void)list("p", "config.lr > 0.0155");
	assert_int_equal(kept_runs, RUNS);
	ts_digest(ts_span_str("config.batch"), &digest);
	memcpy(row, digest.bytes, TS_FACT_MARK);
	ts_store_u32(row + TS_FACT_MARK, 1);
	record.value = ts_span_of(row, sizeof row);
	must(store.engine->ops->record_put(store.engine, &record, NULL, &store.err), &store.err);
	reply = list("p", "config.batch > 0");
	assert_int_equal(reply.n, 0);
	assert_int_equal(reply.n_unrecorded, 1);
	assert_int_equal(opened, RUNS);
	reply = list("p", "config.lr > 0.0155");
	assert_int_equal(reply.n, (RUNS - 16) / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_packed_comes_back),
		cmocka_unit_test(what_does_not_fit_is_not_packed),
		cmocka_unit_test(other_bytes_are_no_fact),
		cmocka_unit_test_setup_teardown(slots_are_few_and_given_to_others_after_a_week, setup, teardown),
		cmocka_unit_test_setup_teardown(a_record_of_a_newer_tscope_is_left_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(a_head_is_opened_once_for_a_fact, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_new_is_opened, setup, teardown),
		cmocka_unit_test_setup_teardown(a_small_project_writes_nothing, setup, teardown),
		cmocka_unit_test_setup_teardown(values_of_a_former_fact_are_not_taken, setup, teardown),
	};
	struct ts_error err;

	if (ts_digest_init(&err))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
