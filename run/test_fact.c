#include "base/limits.h"
#include "run/fact.h"
#include "run/test_objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct ts_fact int_fact(const char *path, enum ts_fact_source source, int64_t value)
{
	return (struct ts_fact){.path = ts_span_str(path), .type = TS_FACT_INT, .source = source, .integer = value};
}

static void add(struct ts_facts *facts, struct ts_arena *arena, const char *path, enum ts_fact_source source,
		int64_t value)
{
	struct ts_fact fact = int_fact(path, source, value);
	struct ts_error err;

	assert_int_equal(ts_facts_add(facts, &fact, arena, &err), TS_OK);
}

static void test_groups_and_sources_by_name(void **unused)
{
	enum ts_group group = TS_GROUP_CODE;
	enum ts_fact_source source;

	(void)unused;
	assert_true(ts_group_of(ts_span_str("config.lr"), &group) && group == TS_GROUP_CONFIG);
	assert_true(ts_group_of(ts_span_str("work"), &group) && group == TS_GROUP_WORK);
	assert_true(ts_group_of(ts_span_str("data[3].x"), &group) && group == TS_GROUP_DATA);
	assert_false(ts_group_of(ts_span_str("configs.lr"), &group));
	assert_false(ts_group_of(ts_span_str(""), &group));
	for (int i = 0; i < TS_GROUPS; i++)
		assert_true(ts_group_of(ts_span_str(ts_group_name((enum ts_group)i)), &group) && (int)group == i);
	assert_true(ts_source_parse(ts_span_str("facts.json"), &source) && source == TS_SOURCE_FACTS_JSON);
	assert_string_equal(ts_source_name(TS_SOURCE_PUSHER), "pusher");
	assert_false(ts_source_parse(ts_span_str("someone"), &source));
}

static void test_sort_keeps_the_last_of_equals(void **unused)
{
	struct ts_facts facts = {0};
	struct ts_arena arena;

	(void)unused;
	ts_arena_init(&arena, 0);
	add(&facts, &arena, "config.b", TS_SOURCE_RUN_JSON, 1);
	add(&facts, &arena, "config.a", TS_SOURCE_PUSHER, 2);
	add(&facts, &arena, "config.b", TS_SOURCE_RUN_JSON, 3);
	add(&facts, &arena, "config.a", TS_SOURCE_RUN_JSON, 4);
	add(&facts, &arena, "config.b", TS_SOURCE_RUN_JSON, 5);
	add(&facts, &arena, "config", TS_SOURCE_HOST, 6);
	assert_int_equal(ts_facts_sort(&facts), 2);
	assert_int_equal(facts.n, 4);
	assert_int_equal(facts.items[0].integer, 6);
	assert_int_equal(facts.items[1].integer, 4);
	assert_int_equal(facts.items[2].integer, 2);
	assert_int_equal(facts.items[3].integer, 5);
	assert_int_equal(ts_facts_find(&facts, ts_span_str("config.a"))->integer, 2); /* the pusher's value is the one found */
	assert_int_equal(ts_facts_find(&facts, ts_span_str("config"))->integer, 6);
	assert_null(ts_facts_find(&facts, ts_span_str("config.")));
	assert_null(ts_facts_find(&facts, ts_span_str("zzz")));
	facts.n = 0;
	assert_null(ts_facts_find(&facts, ts_span_str("config")));
	assert_int_equal(ts_facts_sort(&facts), 0);
	ts_arena_finish(&arena);
}

/* Compares the sort with a table that holds, for path p and source s, the last value written. */
static void test_sort_of_many(void **unused)
{
	static const char *const paths[] = {"code",   "code.a",    "code.a.b", "code.a[0]",
					    "code.b", "config.lr", "seeds.x"};
	enum { PATHS = sizeof paths / sizeof paths[0] };
	uint64_t random = 1;

	(void)unused;
	for (int round = 0; round < 200; round++) {
		int64_t last[PATHS][4] = {0};
		struct ts_facts facts = {0};
		struct ts_arena arena;
		size_t n = test_random(&random) % 60;
		size_t at = 0;

		ts_arena_init(&arena, 0);
		for (size_t i = 1; i <= n; i++) {
			size_t p = test_random(&random) % PATHS;
			size_t s = test_random(&random) % 4;

			add(&facts, &arena, paths[p], (enum ts_fact_source)(s + 1), (int64_t)i);
			last[p][s] = (int64_t)i;
		}
		assert_int_equal(ts_facts_sort(&facts) + facts.n, n);
		for (size_t p = 0; p < PATHS; p++) /* paths are in byte order: '.' before '[' */
			for (size_t s = 0; s < 4; s++)
				if (last[p][s])
					assert_int_equal(facts.items[at++].integer, last[p][s]);
		assert_int_equal(at, facts.n);
		ts_arena_finish(&arena);
	}
}

static void test_same_compares_type_and_bits(void **unused)
{
	struct ts_fact one = int_fact("config.x", TS_SOURCE_RUN_JSON, 1);
	struct ts_fact other = int_fact("config.y", TS_SOURCE_PUSHER, 1);
	struct ts_fact real = {.type = TS_FACT_FLOAT, .real = 1.0};
	struct ts_fact zero = {.type = TS_FACT_FLOAT, .real = 0.0};
	struct ts_fact minus = {.type = TS_FACT_FLOAT, .real = -0.0};
	struct ts_fact nan1 = {.type = TS_FACT_FLOAT}, nan2 = nan1;
	uint64_t bits = UINT64_C(0xfff8000000000001);

	(void)unused;
	nan1.real = __builtin_nan("");
	memcpy(&nan2.real, &bits, sizeof bits);
	assert_true(ts_fact_same(&one, &other));
	assert_false(ts_fact_same(&one, &real));
	assert_false(ts_fact_same(&zero, &minus));
	assert_true(ts_fact_same(&nan1, &nan2));
	other.integer = 2;
	assert_false(ts_fact_same(&one, &other));
}

static void test_paths_escape_and_come_back(void **unused)
{
	static const char *const keys[] = {"config", "a.b", "[x]", "back\\slash", "", "plain"};
	struct ts_buf path = TS_BUF_INIT(4096);
	struct ts_arena arena;
	struct ts_span key;
	bool is_index = true;
	size_t index = 0, at = 0;

	(void)unused;
	ts_arena_init(&arena, 0);
	for (size_t i = 0; i < 6; i++)
		ts_path_key(&path, ts_span_str(keys[i]));
	ts_path_index(&path, 0);
	ts_path_index(&path, 120);
	ts_path_key(&path, ts_span_str("end"));
	assert_true(ts_span_is(ts_buf_view(&path), "config.a\\.b.\\[x\\].back\\\\slash..plain[0][120].end"));
	assert_true(ts_path_valid(ts_buf_view(&path)));
	for (size_t i = 0; i < 6; i++) {
		assert_true(ts_path_next(ts_buf_view(&path), &at, &arena, &key, &is_index, &index));
		assert_false(is_index);
		assert_true(ts_span_is(key, keys[i]));
	}
	assert_true(ts_path_next(ts_buf_view(&path), &at, &arena, &key, &is_index, &index) && is_index && index == 0);
	assert_true(ts_path_next(ts_buf_view(&path), &at, &arena, &key, &is_index, &index) && is_index && index == 120);
	assert_true(ts_path_next(ts_buf_view(&path), &at, &arena, &key, &is_index, &index) && ts_span_is(key, "end"));
	assert_false(ts_path_next(ts_buf_view(&path), &at, &arena, &key, &is_index, &index));
	ts_buf_finish(&path);
	ts_arena_finish(&arena);
}

static void test_malformed_paths(void **unused)
{
	static const char *const bad[] = {"",
					  "config.a]",
					  "config.a[",
					  "config.a[]",
					  "config.a[01]",
					  "config.a[1]b",
					  "config.a[x]",
					  "config.\\",
					  "config.\\x",
					  "config[99999999999999999999999]"};
	static const char *const good[] = {"config", "config.", "config[0]", "config.a[10].b", "config.\\\\"};
	static char longest[TS_PATH_MAX + 1];

	(void)unused;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (ts_path_valid(ts_span_str(bad[i])))
			fail_msg("%s is taken for a path", bad[i]);
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		if (!ts_path_valid(ts_span_str(good[i])))
			fail_msg("%s is not taken for a path", good[i]);
	memset(longest, 'a', sizeof longest);
	assert_true(ts_path_valid(ts_span_of(longest, TS_PATH_MAX)));
	assert_false(ts_path_valid(ts_span_of(longest, TS_PATH_MAX + 1)));
}

static void assert_prints(struct ts_fact fact, const char *want)
{
	struct ts_buf out = TS_BUF_INIT(4096);

	ts_fact_print(&fact, &out);
	if (!ts_span_is(ts_buf_view(&out), want))
		fail_msg("'%.*s' is not '%s'", TS_SPAN_ARG(ts_buf_view(&out)), want);
	ts_buf_finish(&out);
}

static void test_print(void **unused)
{
	(void)unused;
	assert_prints((struct ts_fact){.type = TS_FACT_NULL}, "null");
	assert_prints((struct ts_fact){.type = TS_FACT_BOOL, .boolean = true}, "true");
	assert_prints(int_fact("x", TS_SOURCE_HOST, INT64_MIN), "-9223372036854775808");
	assert_prints((struct ts_fact){.type = TS_FACT_FLOAT, .real = 0.0003}, "0.0003");
	assert_prints((struct ts_fact){.type = TS_FACT_FLOAT, .real = 1}, "1.0");
	assert_prints((struct ts_fact){.type = TS_FACT_TEXT, .text = ts_span_str("a b")}, "a b");
	assert_prints((struct ts_fact){.type = TS_FACT_OBJECT}, "{}");
	assert_prints((struct ts_fact){.type = TS_FACT_ARRAY}, "[]");
	assert_prints((struct ts_fact){.type = TS_FACT_LONG, .text_len = 2000}, "<text of 2000 bytes>");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups_and_sources_by_name),
		cmocka_unit_test(test_sort_keeps_the_last_of_equals),
		cmocka_unit_test(test_sort_of_many),
		cmocka_unit_test(test_same_compares_type_and_bits),
		cmocka_unit_test(test_paths_escape_and_come_back),
		cmocka_unit_test(test_malformed_paths),
		cmocka_unit_test(test_print),
	};

	return cmocka_run_group_tests_name("fact", tests, NULL, NULL);
}
