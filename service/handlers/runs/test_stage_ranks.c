/* Who brought which ranks, as the messages of logs say it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/limits.h"
#include "service/handlers/runs/stage_ranks.h"

#include <stdlib.h>

static struct ts_arena arena;
static struct ts_error err;

static int setup(void **state)
{
	(void)state;
	ts_arena_init(&arena, 1 << 20);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

static struct ts_span message(const int32_t *numbers, size_t n, const char *text)
{
	struct ts_rank_ref *ranks = ts_arena_array(&arena, n, sizeof *ranks);
	struct ts_span out;

	assert_non_null(ranks);
	for (size_t i = 0; i < n; i++)
		ranks[i] = (struct ts_rank_ref){.rank = numbers[i]};
	assert_int_equal(ts_stage_message(ranks, n, ts_span_str(text), &arena, &out, &err), TS_OK);
	return out;
}

static struct ts_span joined(const struct ts_log_entry *entries, size_t n, const char *last_by, const char *last, const char *text)
{
	struct ts_span out;

	assert_int_equal(
		ts_stage_joined(entries, n, ts_span_str(last_by), ts_span_str(last), ts_span_str(text), &arena, &out, &err), TS_OK);
	return out;
}

static void a_message_lists_its_ranks(void **state)
{
	static const int32_t some[] = {TS_RANK_JOB, 0, 1, 2, 5, 7, 8};

	(void)state;
	assert_true(ts_span_is(message(some, 7, ""), "ranks job, 0-2, 5, 7-8"));
	assert_true(ts_span_is(message(some + 4, 1, "late"), "rank 5: late"));
}

/* A text of any length is cut at a character; ranks are never left out. */
static void a_message_has_room(void **state)
{
	static char text[2 * TS_NOTE_MAX];
	static const int32_t one[] = {3};
	struct ts_rank_ref odd[2000];
	struct ts_span out;

	(void)state;
	for (size_t i = 0; i + 1 < sizeof text; i += 2)
		memcpy(text + i, "\xc3\xa4", 2);
	text[sizeof text - 2] = 0;
	out = message(one, 1, text);
	assert_in_range(out.len, TS_NOTE_MAX - 3, TS_NOTE_MAX);
	assert_int_equal(out.data[out.len - 1], 0xa4);
	for (int32_t i = 0; i < 2000; i++)
		odd[i] = (struct ts_rank_ref){.rank = 2 * i};
	assert_int_equal(ts_stage_message(odd, 2000, ts_span_str(""), &arena, &out, &err), TS_TOO_LARGE);
}

static void a_rank_is_its_first_stagers(void **state)
{
	const struct ts_log_entry entries[] = {
		{.who = ts_span_str("ada"), .message = ts_span_str("rank 0")},
		{.who = ts_span_str("bob"), .message = ts_span_str("ranks 4, 8-11: rank 3")},
		{.who = ts_span_str("ada"), .message = ts_span_str("ranks job, 0-3")},
	};
	const struct ts_log_entry old = {.who = ts_span_str("eve"), .message = ts_span_str("what an older version wrote")};
	struct ts_span out;

	(void)state;
	assert_true(ts_span_is(ts_stage_owner(entries, 3, TS_RANK_JOB), "ada"));
	assert_true(ts_span_is(ts_stage_owner(entries, 3, 3), "ada"));
	assert_true(ts_span_is(ts_stage_owner(entries, 3, 10), "bob"));
	assert_int_equal(ts_stage_owner(entries, 3, 5).len, 0);
	assert_int_equal(ts_stage_owner(entries, 3, 12).len, 0);
	assert_true(ts_span_is(ts_stage_owner(&old, 1, 5), "eve"));
	out = joined(entries, 3, "cy", "ranks 5-7", "done");
	assert_true(ts_span_is(out, "joined from ranks job, 0-3, 0 by ada; ranks 4, 8-11 by bob; ranks 5-7 by cy: done"));
	out = joined(&entries[1], 1, "bob", "rank 0", "");
	assert_true(ts_span_is(out, "joined from ranks 4, 8-11, 0 by bob"));
}

/* Many who each brought many: the message says how many it leaves out. */
static void a_message_of_many_is_cut(void **state)
{
	enum { MANY = 600 };
	struct ts_log_entry *entries = ts_arena_array(&arena, MANY, sizeof *entries);
	struct ts_span out;

	(void)state;
	assert_non_null(entries);
	for (size_t i = 0; i < MANY; i++)
		entries[i] = (struct ts_log_entry){.who = ts_span_str(ts_arena_printf(&arena, "user%zu", i)),
						   .message = ts_span_str("rank 1")};
	out = joined(entries, MANY, "user0", "rank 0", "");
	assert_true(out.len <= TS_NOTE_MAX);
	assert_non_null(memmem(out.data, out.len, "; and by ", 9));
}

/* What another version, or a disk, wrote there. */
static void no_message_is_trusted(void **state)
{
	static const char *const texts[] = {"rank ", "ranks -", "ranks 1-", "ranks 99999999999999999999", "ranks ,,,",
					    "rank job", "ranks 3-1", "rank x", "ranks 1, ", "ranks 1 2"};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct ts_log_entry entry = {.who = ts_span_str("a"), .message = ts_span_str(texts[i])};

		for (int32_t rank = TS_RANK_JOB; rank < 4; rank++)
			(void)ts_stage_owner(&entry, 1, rank);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_message_lists_its_ranks, setup, teardown),
		cmocka_unit_test_setup_teardown(a_message_has_room, setup, teardown),
		cmocka_unit_test_setup_teardown(a_rank_is_its_first_stagers, setup, teardown),
		cmocka_unit_test_setup_teardown(a_message_of_many_is_cut, setup, teardown),
		cmocka_unit_test_setup_teardown(no_message_is_trusted, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
