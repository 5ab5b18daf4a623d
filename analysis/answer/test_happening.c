/* Which of what a run recorded is kept, in which order, and what ranks recorded alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/answer/happening.h"

#include <math.h>

enum { CEILING = 16 << 20, MANY = 500 };

static struct ts_arena arena;
static struct ts_error err;

static struct ts_happening of(const char *name, const char *text, double time, int64_t step)
{
	return (struct ts_happening){.kind = ts_happening_kind_of(ts_span_str(name), ts_span_str(text)), .name = ts_span_str(name),
				     .text = ts_span_str(text), .has_time = true, .time_s = time, .has_step = true, .step = step};
}

static int open_arena(void **state)
{
	(void)state;
	ts_arena_init(&arena, CEILING);
	return 0;
}

static int close_arena(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

static void kinds(void **state)
{
	static const struct {
		const char *name, *text;
		enum ts_happening_kind kind;
	} rows[] = {
		{"out of memory", "in the forward of 1", TS_HAPPENING_OUT_OF_MEMORY},
		{"exception", "ValueError", TS_HAPPENING_EXCEPTION},
		{"exception", "KeyboardInterrupt", TS_HAPPENING_SIGNAL},
		{"SIGTERM", "", TS_HAPPENING_SIGNAL},
		{"signal", "15", TS_HAPPENING_SIGNAL},
		{"checkpoint", "a/1.pt", TS_HAPPENING_CHECKPOINT},
		{"resumed", "a/1.pt", TS_HAPPENING_RESUMED},
		{"exceptional", "", TS_HAPPENING_OTHER},
		{"", "", TS_HAPPENING_OTHER},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_int_equal(ts_happening_kind_of(ts_span_str(rows[i].name), ts_span_str(rows[i].text)), rows[i].kind);
	assert_string_equal(ts_happening_word(TS_HAPPENING_RESTART), "restart");
	assert_string_equal(ts_happening_word(0), "");
}

/* Many rates, some checkpoints before them, and one exception early on: each name has its newest, and the exception is first. */
static void a_loud_name_does_not_hide_others(void **state)
{
	struct ts_happenings h = {.n = 0};
	struct ts_happening items[MANY + 4];
	size_t n = 0, checkpoints = 0, rates = 0;

	(void)state;
	items[n++] = of("exception", "OSError", 101, 1);
	for (int i = 0; i < 3; i++)
		items[n++] = of("checkpoint", "c", 110 + i, 10 + i);
	for (int i = 0; i < MANY; i++)
		items[n++] = of("rate", "", 200 + i, 100 + i);
	assert_int_equal(ts_happenings_rank(&h, 0, items, n, &arena, &err), TS_OK);
	assert_int_equal(ts_happenings_finish(&h, 100, &arena, &err), TS_OK);
	assert_int_equal(h.n, TS_HAPPENINGS_MAX);
	assert_true(h.all == MANY + 4 && h.more == MANY + 4 - TS_HAPPENINGS_MAX);
	assert_int_equal(h.items[0].kind, TS_HAPPENING_EXCEPTION);
	assert_true(h.items[0].has_time && h.items[0].time_s == 1);
	assert_int_equal(h.items[1].step, 100 + MANY - 1);
	for (size_t i = 1; i < h.n; i++) {
		checkpoints += h.items[i].kind == TS_HAPPENING_CHECKPOINT;
		rates += h.items[i].kind == TS_HAPPENING_OTHER;
		assert_true(i < 2 || h.items[i].time_s < h.items[i - 1].time_s);
	}
	assert_true(checkpoints == 3 && rates == TS_HAPPENINGS_MAX - 4);
}

/* A loop that catches its exceptions does not take all rows either. */
static void many_exceptions(void **state)
{
	struct ts_happenings h = {.n = 0};
	struct ts_happening items[MANY + 5];
	size_t n = 0, checkpoints = 0;

	(void)state;
	for (int i = 0; i < 5; i++)
		items[n++] = of("checkpoint", "c", 110 + i, 10 + i);
	for (int i = 0; i < MANY; i++)
		items[n++] = of("exception", "OSError", 200 + i, 100 + i);
	assert_int_equal(ts_happenings_rank(&h, 0, items, n, &arena, &err), TS_OK);
	assert_int_equal(ts_happenings_finish(&h, 100, &arena, &err), TS_OK);
	for (size_t i = 0; i < h.n; i++)
		checkpoints += h.items[i].kind == TS_HAPPENING_CHECKPOINT;
	assert_int_equal(checkpoints, 5);
}

/* Ranks 0 to 2 write the same checkpoint, rank 1 a later one alone; its text differs on rank 3. Of the job nothing has a time. */
static void ranks(void **state)
{
	struct ts_happenings h = {.n = 0};
	struct ts_happening job = of("maintenance", "", 0, 0);

	(void)state;
	for (int32_t rank = 0; rank < 4; rank++) {
		struct ts_happening items[] = {of("checkpoint", rank == 3 ? "other.pt" : "1.pt", 110 - rank, 10),
					       of("checkpoint", "2.pt", 120, 20)};

		assert_int_equal(ts_happenings_rank(&h, rank, items, rank == 1 ? 2 : 1, &arena, &err), TS_OK);
	}
	job.has_time = job.has_step = false;
	assert_int_equal(ts_happenings_rank(&h, -1, &job, 1, &arena, &err), TS_OK);
	assert_int_equal(ts_happenings_finish(&h, 100, &arena, &err), TS_OK);
	assert_int_equal(h.n, 4);
	assert_true(h.all == 6 && h.more == 0);
	assert_true(h.items[0].step == 20 && h.items[0].n_ranks == 1 && h.items[0].ranks[0] == 1);
	assert_true(h.items[1].n_ranks == 3 && h.items[1].ranks[0] == 0 && h.items[1].ranks[2] == 2);
	assert_true(h.items[1].time_s == 8); /* of rank 2, the first of them */
	assert_true(h.items[2].n_ranks == 1 && h.items[2].ranks[0] == 3 && h.items[2].time_s == 7);
	assert_true(h.items[3].ranks[0] == -1 && !h.items[3].has_time);
}

static void twice_on_one_rank(void **state)
{
	struct ts_happenings h = {.n = 0};

	(void)state;
	for (int32_t rank = 0; rank < 2; rank++) {
		struct ts_happening items[] = {of("retry", "x", 110, 10), of("retry", "x", 111, 10)};

		assert_int_equal(ts_happenings_rank(&h, rank, items, 2, &arena, &err), TS_OK);
	}
	assert_int_equal(ts_happenings_finish(&h, (double)NAN, &arena, &err), TS_OK);
	assert_true(h.n == 2 && h.items[0].n_ranks == 2 && h.items[1].n_ranks == 2 && h.more == 0);
	assert_false(h.items[0].has_time); /* nothing says when the run began */
}

/* Twenty texts of 64 KiB would not fit a message with the rest of an answer; one is whole, and so are those of a recorder. */
static void long_texts(void **state)
{
	enum { LONG = 64 << 10 };
	struct ts_happenings h = {.n = 0}, few = {.n = 0};
	struct ts_happening items[TS_HAPPENINGS_MAX];
	char *text = ts_arena_array(&arena, LONG, 1);

	(void)state;
	assert_non_null(text);
	memset(text, 'x', LONG);
	for (int i = 0; i < TS_HAPPENINGS_MAX; i++) {
		items[i] = of("note", "", 100 + i, i);
		items[i].text = ts_span_of(text, LONG);
	}
	items[3].name = ts_span_of(text, LONG);
	assert_int_equal(ts_happenings_rank(&few, 0, items, 1, &arena, &err), TS_OK);
	assert_int_equal(ts_happenings_finish(&few, 0, &arena, &err), TS_OK);
	assert_int_equal(few.items[0].text.len, LONG);
	assert_int_equal(ts_happenings_rank(&h, 0, items, TS_HAPPENINGS_MAX, &arena, &err), TS_OK);
	assert_int_equal(ts_happenings_finish(&h, 0, &arena, &err), TS_OK);
	for (size_t i = 0; i < h.n; i++)
		assert_true(h.items[i].text.len == 4096 && h.items[i].name.len <= 512);
}

static void nothing(void **state)
{
	struct ts_happenings h = {.n = 0};

	(void)state;
	assert_int_equal(ts_happenings_rank(&h, 0, NULL, 0, &arena, &err), TS_OK);
	assert_int_equal(ts_happenings_finish(&h, 0, &arena, &err), TS_OK);
	assert_true(h.n == 0 && h.all == 0 && h.more == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test_setup_teardown(a_loud_name_does_not_hide_others, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(many_exceptions, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(ranks, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(twice_on_one_rank, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(long_texts, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(nothing, open_arena, close_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
