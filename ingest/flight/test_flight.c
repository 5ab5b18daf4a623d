/* Dumps of torch's Flight Recorder: those that torch wrote, pickled and as JSON, say who is behind; and damage says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/file.h"
#include "ingest/flight/flight_behind.h"
#include "ingest/flight/flight_read.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define GOLDEN "tests/golden/flight/"

static struct ts_arena arena;

static int begin(void **unused)
{
	(void)unused;
	ts_arena_init(&arena, 0);
	return 0;
}

static int end(void **unused)
{
	(void)unused;
	ts_arena_finish(&arena);
	return 0;
}

static struct ts_flight_dump of_file(const char *path, int32_t rank)
{
	struct ts_source source = {.name = ts_span_str(path), .path = ts_span_str(path)};
	struct ts_flight_dump dump;
	struct ts_error err;

	source.fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(source.fd >= 0);
	source.size = (uint64_t)lseek(source.fd, 0, SEEK_END);
	if (ts_flight_read(&source, rank, &arena, &dump, &err))
		fail_msg("%s", err.text);
	(void)close(source.fd);
	return dump;
}

static enum ts_status of_text(const char *text, int32_t rank, struct ts_flight_dump *ret)
{
	struct ts_source source = {
		.fd = -1, .memory = ts_span_str(text), .size = strlen(text), .name = ts_span_str("a"), .path = ts_span_str("a")};
	struct ts_error err;

	return ts_flight_read(&source, rank, &arena, ret, &err);
}

static void says(const struct ts_flight_dump *dumps, size_t n, size_t world, int rank, const char *expected)
{
	struct ts_flight_behind behind;
	struct ts_error err;

	assert_int_equal(ts_flight_judge(dumps, n, world, &arena, &behind, &err), TS_OK);
	if (!ts_span_is(behind.sentence, expected))
		fail_msg("says '%.*s', expected '%s'", TS_SPAN_ARG(behind.sentence), expected);
	assert_int_equal(behind.said, *expected != '\0');
	assert_int_equal(behind.n_ranks, rank >= 0);
	if (rank >= 0)
		assert_int_equal(behind.ranks[0], rank);
}

/* make.py lets rank 1 stay away from the fourth; its calls are at lines 16 and 27. */
static void test_late(void **unused)
{
	struct ts_flight_dump dumps[3];

	(void)unused;
	for (int rank = 0; rank < 3; rank++)
		dumps[rank] = of_file((const char *[]){GOLDEN "late_rank_0", GOLDEN "late_rank_1", GOLDEN "late_rank_2"}[rank], rank);
	assert_int_equal(dumps[0].n, 4);
	assert_int_equal(dumps[1].n, 3);
	assert_true(ts_span_is(dumps[0].calls[0].sizes, "[[3,4]]") && ts_span_is(dumps[0].calls[3].sizes, "[[8]]"));
	assert_true(dumps[0].calls[2].done && ts_span_is(dumps[0].calls[2].about, "default_pg"));
	says(dumps, 3, 3, 1,
	     "rank 1 called no collective of the group default_pg after number 3 (all_reduce at make.py:27), and the others came to "
	     "number "
	     "4 (all_reduce at make.py:16)");
	says(dumps, 1, 1, -1, "");
}

static void test_json(void **unused)
{
	struct ts_flight_dump dumps[3];

	(void)unused;
	for (int rank = 0; rank < 3; rank++)
		dumps[rank] = of_file((const char *[]){GOLDEN "late0.json", GOLDEN "late1.json", GOLDEN "late2.json"}[rank], rank);
	says(dumps, 3, 3, 1,
	     "rank 1 called no collective of the group default_pg after number 3 (all_reduce), and the others came to number 4 "
	     "(all_reduce)");
}

static void test_other(void **unused)
{
	struct ts_flight_dump dumps[3];

	(void)unused;
	for (int rank = 0; rank < 3; rank++)
		dumps[rank] =
			of_file((const char *[]){GOLDEN "other_rank_0", GOLDEN "other_rank_1", GOLDEN "other_rank_2"}[rank], rank);
	says(dumps, 3, 3, 1,
	     "at collective number 4 of the group default_pg rank 1 called broadcast [[8]], and the others all_reduce [[8]]");
}

#define CALL(seq, sizes, state)                                                                                                        \
	"{\"collective_seq_id\":" seq                                                                                                  \
	",\"process_group\":[\"0\",\"dp\"],\"profiling_name\":\"nccl:all_reduce\",\"input_sizes\":" sizes ",\"state\":\"" state        \
	"\",\"retired\":false,\"is_p2p\":false}"
#define DUMP(calls) "{\"version\":\"2.10\",\"entries\":[" calls "]}"

/* By hand: sizes that differ; a rank that left no dump; all wait; nobody does; a send has no number that others know. */
static void test_by_hand(void **unused)
{
	struct ts_flight_dump dumps[2];

	(void)unused;
	assert_int_equal(of_text(DUMP(CALL("7", "[[4]]", "started")), 0, &dumps[0]), TS_OK);
	assert_int_equal(of_text(DUMP(CALL("7", "[[5]]", "started")), 1, &dumps[1]), TS_OK);
	says(dumps, 2, 2, -1, "at collective number 7 of the group dp rank 1 called all_reduce [[5]], and rank 0 all_reduce [[4]]");
	assert_int_equal(of_text(DUMP(CALL("7", "[[4]]", "started")), 2, &dumps[1]), TS_OK);
	says(dumps, 2, 3, 1, "rank 1 left no record, and the 2 others wait at collective number 7 (all_reduce) of the group dp");
	says(dumps, 2, 0, -1, "all 2 ranks wait at collective number 7 (all_reduce) of the group dp");
	says(dumps, 1, 2, 1, "rank 1 left no record, and rank 0 waits at collective number 7 (all_reduce) of the group dp");
	assert_int_equal(of_text(DUMP(CALL("7", "[[4]]", "completed")), 1, &dumps[1]), TS_OK);
	says(dumps, 2, 3, -1, ""); /* what is over on one rank had all of them */
	assert_int_equal(of_text(DUMP(CALL("6", "[[4]]", "completed")), 1, &dumps[1]), TS_OK);
	says(dumps, 2, 2, 1,
	     "rank 1 called no collective of the group dp after number 6 (all_reduce), and rank 0 came to number 7 (all_reduce)");
	/* Who is in its last call is late where others ended it, and waits with them where nobody did. */
	assert_int_equal(of_text(DUMP(CALL("6", "[[4]]", "started")), 1, &dumps[1]), TS_OK);
	says(dumps, 2, 2, 1,
	     "rank 1 did not end collective number 6 (all_reduce) of the group dp, and rank 0 came to number 7 (all_reduce)");
	assert_int_equal(of_text(DUMP(CALL("6", "[[4]]", "started") "," CALL("7", "[[4]]", "scheduled")), 0, &dumps[0]), TS_OK);
	says(dumps, 2, 2, -1, "all 2 ranks wait at collective number 6 (all_reduce) of the group dp");
	assert_int_equal(of_text(DUMP(CALL("6", "[[4]]", "completed") "," CALL("7", "[[4]]", "scheduled")), 0, &dumps[0]), TS_OK);
	says(dumps, 2, 2, 1,
	     "rank 1 did not end collective number 6 (all_reduce) of the group dp, and rank 0 came to number 7 (all_reduce)");
	/* Calls that are sent together have one number. */
	assert_int_equal(of_text(DUMP(CALL("7", "[[4]]", "started") "," CALL("7", "[[5]]", "started")), 0, &dumps[0]), TS_OK);
	assert_int_equal(of_text(DUMP(CALL("7", "[[4]]", "started") "," CALL("7", "[[5]]", "started")), 1, &dumps[1]), TS_OK);
	says(dumps, 2, 2, -1, "all 2 ranks wait at collective number 7 (all_reduce) of the group dp");
}

static void test_nobody(void **unused)
{
	struct ts_flight_dump dumps[2];

	(void)unused;
	assert_int_equal(of_text(DUMP(CALL("7", "[[4]]", "completed")), 0, &dumps[0]), TS_OK);
	assert_int_equal(
		of_text(DUMP(CALL("7", "[[4]]", "completed") ",{\"is_p2p\":true,\"collective_seq_id\":9,\"process_group\":[\"0\"]}"), 1,
			&dumps[1]),
		TS_OK);
	assert_int_equal(dumps[1].n, 1);
	says(dumps, 2, 2, -1, "");
	assert_int_equal(of_text(DUMP(""), 0, &dumps[0]), TS_OK);
	says(dumps, 1, 1, -1, "");
}

static void test_damage(void **unused)
{
	static const char *const texts[] = {
		"{", "{\"entries\":3}", "{\"entries\":[{\"frames\":[", "x", "\200\002]q\001.", "\200\002cos\nsystem\nq\001.", "[]"};
	struct ts_flight_dump dump;

	(void)unused;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		if (of_text(texts[i], 0, &dump) == TS_OK)
			fail_msg("text %zu was read", i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_late, begin, end),	  cmocka_unit_test_setup_teardown(test_json, begin, end),
		cmocka_unit_test_setup_teardown(test_other, begin, end),  cmocka_unit_test_setup_teardown(test_by_hand, begin, end),
		cmocka_unit_test_setup_teardown(test_nobody, begin, end), cmocka_unit_test_setup_teardown(test_damage, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
