/* Facts without room: what is folded, what stays, and that the digest tells runs apart. */
#include "ingest/facts/fold.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static struct ts_arena arena;
static struct ts_notices notices;
static struct ts_error err;

static int setup(void **state)
{
	(void)state;
	ts_arena_init(&arena, 64 << 20);
	notices = (struct ts_notices){.arena = &arena};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

static void add(struct ts_facts *facts, const char *path, const char *text)
{
	struct ts_fact fact = {.path = ts_arena_span(&arena, ts_span_str(path)),
			       .type = TS_FACT_TEXT,
			       .source = TS_SOURCE_RUN_JSON,
			       .text = ts_arena_span(&arena, ts_span_str(text))};

	assert_int_equal(ts_facts_add(facts, &fact, &arena, &err), TS_OK);
}

/* A model of many classes beside settings, a small object and descriptions of columns. */
static struct ts_facts many(size_t classes, const char *last)
{
	struct ts_facts facts = {.n = 0};
	char path[64], text[64];

	for (size_t i = 0; i < classes; i++) {
		(void)snprintf(path, sizeof path, "config.model.id2label.%zu", i);
		(void)snprintf(text, sizeof text, "LABEL_%zu", i);
		add(&facts, path, i + 1 == classes ? last : text);
		(void)snprintf(path, sizeof path, "columns.scalars\\.s%zu.source", i);
		add(&facts, path, "x");
	}
	add(&facts, "config.lr", "0.1");
	add(&facts, "config.model.id2label-version", "2");
	add(&facts, "config.optimizer.betas[0]", "0.9");
	add(&facts, "config.optimizer.betas[1]", "0.95");
	(void)ts_facts_sort(&facts);
	return facts;
}

static const char *text_at(const struct ts_facts *facts, const char *path)
{
	const struct ts_fact *fact = ts_facts_find(facts, ts_span_str(path));

	assert_non_null(fact);
	return ts_arena_printf(&arena, "%.*s", TS_SPAN_ARG(fact->text));
}

static void what_fits_stays(void **state)
{
	struct ts_facts facts = many(100, "cat");

	(void)state;
	assert_int_equal(ts_facts_fold(&facts, TS_FACTS_ROOM, ts_span_str(""), &notices, &arena, &err), TS_OK);
	assert_int_equal(facts.n, 204);
	assert_int_equal(notices.n, 0);
}

static void the_object_that_needs_the_room_is_folded_and_no_other(void **state)
{
	struct ts_facts facts = many(100, "cat");

	(void)state;
	assert_int_equal(ts_facts_fold(&facts, 6000, ts_span_str("run.json"), &notices, &arena, &err), TS_OK);
	assert_int_equal(facts.n, 105); /* 100 columns, lr, version, two betas, and the labels as one */
	assert_memory_equal(text_at(&facts, "config.model.id2label"), "100 facts with the SHA-256 ", 27);
	assert_string_equal(text_at(&facts, "config.lr"), "0.1");
	assert_string_equal(text_at(&facts, "config.model.id2label-version"), "2");
	assert_string_equal(text_at(&facts, "config.optimizer.betas[1]"), "0.95");
	assert_int_equal(notices.n, 1);
	assert_string_equal(notices.items[0].code, "folded_facts");
	assert_int_equal(notices.items[0].level, TS_NOTICE_SKIPPED);
}

static void the_digest_is_of_the_values(void **state)
{
	struct ts_facts a = many(100, "cat"), again = many(100, "cat"), b = many(100, "dog");

	(void)state;
	assert_int_equal(ts_facts_fold(&a, 6000, ts_span_str(""), &notices, &arena, &err), TS_OK);
	assert_int_equal(ts_facts_fold(&again, 6000, ts_span_str(""), &notices, &arena, &err), TS_OK);
	assert_int_equal(ts_facts_fold(&b, 6000, ts_span_str(""), &notices, &arena, &err), TS_OK);
	assert_string_equal(text_at(&a, "config.model.id2label"), text_at(&again, "config.model.id2label"));
	assert_string_not_equal(text_at(&a, "config.model.id2label"), text_at(&b, "config.model.id2label"));
}

/* Of containers that suffice the smallest is folded: the list of 40, not the model around it. */
static void the_smallest_that_suffices_is_folded(void **state)
{
	struct ts_facts facts = {.n = 0};
	char path[64];

	(void)state;
	for (int i = 0; i < 100; i++) {
		(void)snprintf(path, sizeof path, "config.model.a.b%03d", i);
		add(&facts, path, "0123456789");
		(void)snprintf(path, sizeof path, "config.model.list[%d]", i);
		if (i < 40)
			add(&facts, path, "0123456789");
	}
	(void)ts_facts_sort(&facts);
	assert_int_equal(ts_facts_fold(&facts, 5000, ts_span_str(""), &notices, &arena, &err), TS_OK);
	assert_int_equal(facts.n, 101);
	assert_memory_equal(text_at(&facts, "config.model.list"), "40 facts", 8);
}

/* Of an object that holds nothing but another one, the inner one is folded: its path says more. */
static void the_deepest_of_the_same_facts_is_folded(void **state)
{
	struct ts_facts facts = {.n = 0};
	char path[64];

	(void)state;
	for (int i = 0; i < 100; i++) {
		(void)snprintf(path, sizeof path, "config.model.id2label.%d", i);
		add(&facts, path, "0123456789");
	}
	(void)ts_facts_sort(&facts);
	assert_int_equal(ts_facts_fold(&facts, 1000, ts_span_str(""), &notices, &arena, &err), TS_OK);
	assert_int_equal(facts.n, 1);
	assert_memory_equal(text_at(&facts, "config.model.id2label"), "100 facts", 9);
}

/* What is left when nothing can be folded is refused later, by the head, which says which groups are large. */
static void columns_and_single_facts_are_never_folded(void **state)
{
	struct ts_facts facts = many(100, "cat");

	(void)state;
	assert_int_equal(ts_facts_fold(&facts, 10, ts_span_str(""), &notices, &arena, &err), TS_OK);
	assert_int_equal(facts.n, 105 - 1);
	assert_string_equal(text_at(&facts, "columns.scalars\\.s7.source"), "x");
	assert_string_equal(text_at(&facts, "config.lr"), "0.1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_fits_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(the_object_that_needs_the_room_is_folded_and_no_other, setup, teardown),
		cmocka_unit_test_setup_teardown(the_digest_is_of_the_values, setup, teardown),
		cmocka_unit_test_setup_teardown(the_smallest_that_suffices_is_folded, setup, teardown),
		cmocka_unit_test_setup_teardown(the_deepest_of_the_same_facts_is_folded, setup, teardown),
		cmocka_unit_test_setup_teardown(columns_and_single_facts_are_never_folded, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
