/* A recording as a rank of a run: the same run as steps.jsonl of the same content, while it grows a part of what it becomes, and what
 * does not fit. */
#include "ingest/core/test_support.h"
#include "ingest/recording/recording.h"
#include "ingest/recording/test_recording_file.h"

#include "base/limits.h"

#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define NO_STEP INT64_MIN
#define BOTH_CLOCKS "{\"columns\": {\"phases.forward\": {\"clock\": \"host\"}, \"phases.all\\\\.reduce\": {\"clock\": \"device\"}}}"

static void write_file(struct test_run *t, const char *name, const struct test_file *f)
{
	test_write_bytes(t, name, f->data, f->size);
}

/* Columns 1 to 8, one of each kind; `all.reduce` has a dot in its name. */
static void declare_all(struct test_file *f)
{
	test_column(f, 0, 1, TEST_PHASE, "forward");
	test_column(f, 0, 2, TEST_DEVICE, "all.reduce");
	test_column(f, 0, 3, TEST_REGION, "layers[0]");
	test_column(f, 0, 4, TEST_NUMBER, "loss");
	test_column(f, 0, 5, TEST_MEMORY, "alloc");
	test_column(f, 0, 6, TEST_AMOUNT, "tokens");
	test_column(f, 0, 7, TEST_DIGEST, "params");
	test_column(f, 0, 8, TEST_EVENT, "checkpoint");
}

static int64_t begin_of(int64_t i)
{
	return TEST_MONO + i * 10 * TEST_MS;
}

/* A step of 9 ms with its phase, loss and tokens. */
static void plain_step(struct test_file *f, uint32_t lane, int64_t step, int64_t i)
{
	test_step(f, lane, step, begin_of(i), 9 * TEST_MS,
		  TEST_CELLS({1, (uint64_t)(4 * TEST_MS + i)}, {4, test_bits(3.0 / (double)(i + 1))}, {6, test_bits(512)}));
}

static size_t json_step(char *to, size_t room, int64_t step, int64_t i)
{
	return (size_t)snprintf(
		to, room,
		"{\"step\":%" PRId64
		",\"timestamp\":%.17g,\"phases\":{\"forward\":%.17g},\"scalars\":{\"loss\":%.17g},\"tokens\":512}\n",
		step, (double)(TEST_UNIX + i * 10 * TEST_MS + 9 * TEST_MS) / 1e9, (double)(4 * TEST_MS + i) / 1e9,
		3.0 / (double)(i + 1));
}

static void expect_same(const struct ts_id *a, const struct ts_id *b)
{
	assert_memory_equal(a, b, sizeof *a);
}

/* --- the same run as steps.jsonl --- */

static void a_recording_is_the_run_of_its_steps(void **state)
{
	enum { STEPS = 3000 };
	struct test_file f;
	struct test_run t;
	struct ts_id recorded;
	char *json = test_malloc(STEPS * 200);
	size_t n = 0;

	(void)state;
	test_run_init(&t);
	test_file_init(&f, 0, 1);
	declare_all(&f);
	for (int64_t i = 0; i < STEPS; i++) {
		plain_step(&f, 0, i, i);
		n += json_step(json + n, STEPS * 200 - n, i, i);
	}
	test_end(&f, 0, begin_of(STEPS), 0, 1);
	write_file(&t, "run/recording.tscope", &f);
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.notices.n, 0);
	assert_int_equal(t.result.rows, STEPS);
	assert_int_equal(t.result.segments, 1);
	assert_true(t.result.finished);
	recorded = t.result.head;
	test_round_trip(&t);
	test_file_finish(&f);
	test_run_finish(&t);
	test_run_init(&t);
	test_write(&t, "run/facts.json", BOTH_CLOCKS);
	test_write(&t, "run/steps.jsonl", json);
	test_ingest_ok(&t, t.path);
	expect_same(&recorded, &t.result.head);
	test_run_finish(&t);
	test_free(json);
}

/* The wall clock so many us after TEST_UNIX, as a double. */
static double unix_at(int64_t us)
{
	return (double)(TEST_UNIX + us * 1000) / 1e9;
}

/* A program gave a loss and tokens, and was killed before its first step, or not: way 1. */
static void what_waits_for_the_first_step_is_a_row_if_none_comes(void **state)
{
	(void)state;
	for (int way = 0; way < 2; way++) {
		struct test_file f;
		struct test_run t;
		char want[160];

		test_run_init(&t);
		test_file_init(&f, 0, 1);
		declare_all(&f);
		test_first(&f, 1, 4, 7, TEST_MONO + 2 * TEST_MS, 2.5);
		test_first(&f, 1, 6, 7, TEST_MONO + 3 * TEST_MS, 512);
		test_first(&f, 1, 4, 9, TEST_MONO + 4 * TEST_MS, 9.5); /* of another row, which nothing writes */
		test_first(&f, 1, 99, 7, TEST_MONO, 1);		       /* of no column */
		if (way)
			plain_step(&f, 0, 0, 0);
		write_file(&t, "run/recording.tscope", &f);
		test_ingest_ok(&t, t.path);
		assert_int_equal(t.result.rows, 1);
		assert_int_equal(t.result.segments, 1);
		(void)snprintf(want, sizeof want,
			       "{\"rank\":0,\"step\":7,\"timestamp\":%.17g,\"scalars\":{\"loss\":2.5},\"tokens\":512.0}\n",
			       unix_at(3000));
		if (way)
			assert_null(strstr(test_jsonl(&t), "2.5"));
		else
			assert_string_equal(test_jsonl(&t), want);
		assert_int_equal(test_notice(&t, "unknown_column") != NULL, !way);
		test_file_finish(&f);
		test_run_finish(&t);
	}
}

static void write_full_json(struct test_run *t)
{
	char text[4096];

	(void)snprintf(text, sizeof text,
		       "{\"step\":0,\"timestamp\":%.17g,\"phases\":{\"forward\":0.004,\"all.reduce\":0.0015},\"regions\":{\"layers["
		       "0]\":0.003},"
		       "\"scalars\":{\"loss\":2.5},\"memory\":{\"alloc\":1073741824},\"tokens\":512,\"digests\":{\"params\":"
		       "\"00000000deadbeef\"}}\n"
		       "{\"step\":5,\"timestamp\":%.17g,\"phases\":{\"forward\":0.005,\"all.reduce\":0.002},\"scalars\":{\"loss\":"
		       "NaN},\"tokens\":512}\n"
		       "{\"step\":6,\"timestamp\":%.17g,\"regions\":{\"layers[0]\":0.001}}\n",
		       unix_at(9000), unix_at(19000), unix_at(29000));
	test_write(t, "run/steps.jsonl", text);
	(void)snprintf(text, sizeof text,
		       "{\"time\":%.17g,\"name\":\"layers[0]\",\"step\":0,\"duration\":0.001,\"lane\":1}\n"
		       "{\"time\":%.17g,\"name\":\"layers[0]\",\"step\":0,\"duration\":0.002,\"lane\":0}\n"
		       "{\"time\":%.17g,\"name\":\"checkpoint\",\"text\":\"saved\\n\\u001b[31m\",\"lane\":1}\n"
		       "{\"time\":%.17g,\"name\":\"checkpoint\",\"value\":-0.0,\"step\":5,\"lane\":0}\n"
		       "{\"time\":%.17g,\"name\":\"layers[0]\",\"step\":6,\"duration\":0.001,\"lane\":1}\n",
		       unix_at(1000), unix_at(3000), unix_at(9500), unix_at(10000), unix_at(20500));
	test_write(t, "run/events.jsonl", text);
}

static const char *const full_digests = "{\"step\":0,\"name\":\"mlp\",\"out\":\"0000000000000001\",\"in\":\"0000000000000002\","
					"\"kind\":\"activation\",\"occurrence\":0}\n"
					"{\"step\":5,\"name\":\"mlp\",\"out\":\"ffffffffffffffff\",\"occurrence\":3}\n";

/* The run of the texts above. The device's clock is read two steps late, and a second thread records regions. replaced: the first loss
 * is another one, which a late value replaces. */
static void full_recording(struct test_file *f, bool replaced)
{
	const int64_t m = TEST_MONO;

	declare_all(f);
	test_region(f, 1, 3, 0, m + TEST_MS, TEST_MS);
	test_region(f, 0, 3, 0, m + 3 * TEST_MS, 2 * TEST_MS);
	test_digest(f, 0, 0, "mlp", 1, &(uint64_t){2}, 3, 0);
	test_step(f, 0, 0, m, 9 * TEST_MS,
		  TEST_CELLS({1, 4 * TEST_MS}, {4, test_bits(replaced ? 7 : 2.5)}, {5, test_bits(1073741824)}, {6, test_bits(512)},
			     {7, 0xdeadbeef}));
	test_event_text(f, 1, 8, NO_STEP, m + 19 * TEST_MS / 2, "saved\n\033[31m");
	test_event_number(f, 0, 8, 5, m + 10 * TEST_MS, -0.0);
	test_digest(f, 0, 5, "mlp", UINT64_MAX, NULL, 0, 3);
	test_step(f, 0, 5, m + 10 * TEST_MS, 9 * TEST_MS, TEST_CELLS({1, 5 * TEST_MS}, {4, test_bits(NAN)}, {6, test_bits(512)}));
	test_region(f, 1, 3, 6, m + 41 * TEST_MS / 2, TEST_MS);
	test_step(f, 0, 6, m + 20 * TEST_MS, 9 * TEST_MS, NULL, 0);
	test_late(f, 2, 0, TEST_CELLS({2, 3 * TEST_MS / 2}, {4, test_bits(2.5)}));
	test_late(f, 2, 5, TEST_CELLS({2, 2 * TEST_MS}));
	test_end(f, 0, m + 40 * TEST_MS, 0, 1);
}

static void lanes_late_values_regions_events_and_digests_are_merged(void **state)
{
	struct test_file f;
	struct test_run t;
	struct ts_id recorded;

	(void)state;
	test_run_init(&t);
	test_file_init(&f, 0, 1);
	full_recording(&f, true);
	write_file(&t, "run/recording.tscope", &f);
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.notices.n, 0);
	assert_int_equal(t.result.timed, 5);
	assert_int_equal(t.result.digests, 2);
	assert_string_equal(test_fact(&t, "columns.phases\\.all\\\\\\.reduce.clock"), "device");
	assert_string_equal(test_fact(&t, "columns.phases\\.forward.clock"), "host");
	recorded = t.result.head;
	test_round_trip(&t);
	test_file_finish(&f);
	test_run_finish(&t);
	test_run_init(&t);
	test_write(&t, "run/facts.json", BOTH_CLOCKS);
	write_full_json(&t);
	test_write(&t, "run/digests.jsonl", full_digests);
	test_ingest_ok(&t, t.path);
	expect_same(&recorded, &t.result.head);
	test_run_finish(&t);
}

/* Steps go back twice; step 3 was executed three times, and has a late value and a region each time. */
/* How the loss of each step and the digest of each hundredth come: with the step, or late in these ways. */
enum way { AT_ONCE, LATER, IN_PIECES, IN_TWO_LANES, BACKWARDS, WAYS };

enum { LATE_STEPS = 3000, LATE_BY = 10 };

static void late_values(struct test_file *f, enum way way, int64_t i)
{
	uint32_t lane = way == IN_TWO_LANES && i % 2 ? 2 : 1;

	if (i < 0 || i >= LATE_STEPS)
		return;
	if (way == IN_PIECES)
		test_late(f, lane, i, TEST_CELLS({4, test_bits(7)}));
	test_late(f, lane, i, TEST_CELLS({4, test_bits(3.0 / (double)(i + 1))}));
	if (i % 100 == 0)
		test_late(f, lane, i, TEST_CELLS({7, (uint64_t)i + 1}));
}

static void record_late(struct test_file *f, enum way way)
{
	declare_all(f);
	for (int64_t i = 0; i < LATE_STEPS + LATE_BY; i++) {
		const struct test_cell cells[] = {
			{1, (uint64_t)(4 * TEST_MS + i)}, {4, test_bits(3.0 / (double)(i + 1))}, {7, (uint64_t)i + 1}};

		if (i < LATE_STEPS)
			test_step(f, 0, i, begin_of(i), 9 * TEST_MS, cells, way != AT_ONCE ? 1 : i % 100 ? 2 : 3);
		if (way == BACKWARDS)
			late_values(f, way, i % 2 ? i - LATE_BY - 1 : i - LATE_BY + 1);
		else if (way != AT_ONCE)
			late_values(f, way, i - LATE_BY);
	}
}

static void late_values_are_those_of_their_step(void **state)
{
	struct ts_id at_once = {{0}};

	(void)state;
	for (enum way way = AT_ONCE; way < WAYS; way++) {
		struct test_file f;
		struct test_run t;

		test_run_init(&t);
		test_file_init(&f, 0, 1);
		record_late(&f, way);
		write_file(&t, "run/recording.tscope", &f);
		test_ingest_ok(&t, t.path);
		assert_int_equal(t.result.rows, LATE_STEPS);
		if (way == AT_ONCE)
			at_once = t.result.head;
		expect_same(&at_once, &t.result.head);
		test_file_finish(&f);
		test_run_finish(&t);
	}
}

static void restarts_make_the_segments_of_steps_jsonl(void **state)
{
	static const int64_t steps[] = {0, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4};
	struct test_file f;
	struct test_run t;
	struct ts_id recorded;
	char json[4096];
	size_t n = 0;

	(void)state;
	test_run_init(&t);
	test_file_init(&f, 0, 1);
	declare_all(&f);
	for (int64_t i = 0; i < 11; i++) {
		int64_t step = steps[i];
		bool more = step == 3;

		if (more)
			test_region(&f, 0, 3, step, begin_of(i), TEST_MS * (i + 1));
		test_step(&f, 0, step, begin_of(i), 9 * TEST_MS, TEST_CELLS({4, test_bits((double)i)}));
		if (more)
			test_late(&f, 0, step, TEST_CELLS({5, test_bits(100 + (double)i)}));
		n += (size_t)snprintf(json + n, sizeof json - n, "{\"step\":%d,\"timestamp\":%.17g,\"scalars\":{\"loss\":%d}",
				      (int)step, (double)(TEST_UNIX + i * 10 * TEST_MS + 9 * TEST_MS) / 1e9, (int)i);
		if (more)
			n += (size_t)snprintf(json + n, sizeof json - n,
					      ",\"memory\":{\"alloc\":%d},\"regions\":{\"layers[0]\":%.17g}", (int)(100 + i),
					      (double)(TEST_MS * (i + 1)) / 1e9);
		n += (size_t)snprintf(json + n, sizeof json - n, "}\n");
	}
	test_end(&f, 0, begin_of(11), 0, 1);
	write_file(&t, "run/recording.tscope", &f);
	test_ingest_ok(&t, t.path);
	test_expect_notice(&t, "restart", TS_NOTICE_INFO, 0, 2);
	assert_int_equal(t.result.notices.n, 1);
	assert_int_equal(t.result.segments, 3);
	assert_int_equal(t.result.superseded, 6); /* 2 to 4 of the first execution, 3 to 5 of the second */
	recorded = t.result.head;
	test_round_trip(&t);
	test_file_finish(&f);
	test_run_finish(&t);
	test_run_init(&t);
	test_write(&t, "run/facts.json", BOTH_CLOCKS);
	test_write(&t, "run/steps.jsonl", json);
	n = 0;
	for (int64_t i = 0; i < 11; i++)
		if (steps[i] == 3)
			n += (size_t)snprintf(json + n, sizeof json - n,
					      "{\"time\":%.17g,\"name\":\"layers[0]\",\"step\":3,\"duration\":%.17g,\"lane\":0}\n",
					      (double)(TEST_UNIX + i * 10 * TEST_MS) / 1e9, (double)(TEST_MS * (i + 1)) / 1e9);
	test_write(&t, "run/events.jsonl", json);
	test_ingest_ok(&t, t.path);
	expect_same(&recorded, &t.result.head);
	test_run_finish(&t);
}

/* --- every way of reading gives the same --- */

static struct ts_id index_with_memory(const struct test_file *f, size_t memory)
{
	struct ts_source source = {.fd = -1,
				   .memory = ts_span_of(f->data, f->size),
				   .size = f->size,
				   .name = ts_span_str("r"),
				   .path = ts_span_str("r")};
	struct test_objects objects = {.n = 0};
	struct ts_sink_count sink = {.sink = test_objects_sink, .ctx = &objects};
	struct ts_arena arena;
	struct ts_notices notices = {.arena = &arena};
	struct ts_recording_into into = {.rank = 0, .notices = &notices, .sink = &sink, .memory = memory};
	struct ts_facts none = {.n = 0};
	struct ts_recording *r;
	struct ts_builder *b;
	struct ts_error err;
	struct ts_id id;
	uint64_t segments;

	ts_arena_init(&arena, 0);
	assert_int_equal(ts_recording_open(&source, &notices, &r, &err), TS_OK);
	assert_int_equal(ts_recording_read(&r, 1, &into, &b, &segments, &err), TS_OK);
	assert_int_equal(ts_builder_finish(b, &none, &id, &err), TS_OK);
	ts_builder_destroy(b);
	ts_recording_close(r);
	test_objects_finish(&objects);
	ts_arena_finish(&arena);
	return id;
}

/* The threads take turns with the steps, chunks lie out of order, and the sort has room for a few rows only. */
static void threads_that_take_turns_give_the_same_rows(void **state)
{
	struct ts_id expected = {{0}};

	(void)state;
	for (int way = 0; way < 4; way++) {
		struct test_file f;
		struct ts_id id;

		test_file_init(&f, 0, 1);
		f.first_chunk = way == 3;
		declare_all(&f);
		for (int64_t i = 0; i < 2000; i++) {
			plain_step(&f, way == 1 ? (uint32_t)(i / 7 % 2) : 0, i, i);
			if (i >= 3)
				test_late(&f, way == 2 ? 2 : 0, i - 3, TEST_CELLS({2, (uint64_t)i}));
		}
		assert_true(f.chunks >= 4);
		id = index_with_memory(&f, way == 0 ? 0 : 4096);
		if (way == 0)
			expected = id;
		expect_same(&expected, &id);
		test_file_finish(&f);
	}
}

/* A step of more columns than a frame has room for goes on in late frames. */
static void sixteen_thousand_columns(void **state)
{
	enum { COLUMNS = 16000, EACH = 4000 };
	struct test_cell *cells = test_calloc(COLUMNS, sizeof *cells);
	struct test_file f;
	struct test_run t;
	struct ts_index index;
	const struct ts_table *table;
	const struct ts_column *c;
	char name[32];

	(void)state;
	test_run_init(&t);
	test_file_init(&f, 0, 1);
	for (uint32_t i = 0; i < COLUMNS; i++) {
		(void)snprintf(name, sizeof name, "x%05u", i);
		test_column(&f, 0, (uint16_t)(i + 1), TEST_NUMBER, name);
		cells[i] = (struct test_cell){(uint16_t)(i + 1), test_bits(i)};
	}
	for (int64_t step = 0; step < 2; step++) {
		test_step(&f, 0, step, begin_of(step), 9, cells, EACH);
		for (size_t from = EACH; from < COLUMNS; from += EACH)
			test_late(&f, 0, step, cells + from, EACH);
	}
	write_file(&t, "run/recording.tscope", &f);
	test_ingest_ok(&t, t.path);
	test_expect_notice(&t, "no_end", TS_NOTICE_INFO, 0, 1);
	assert_int_equal(t.result.notices.n, 1);
	assert_int_equal(t.result.rows, 2);
	test_index(&t, 0, &index);
	c = ts_index_column(&index, TS_TABLE_STEPS, ts_span_str("scalars.x15999"), TS_COLUMN_F64, &table);
	assert_non_null(c);
	assert_memory_equal(test_objects_words(&t.objects, table, c, &t.arena), ((double[]){15999, 15999}), 2 * sizeof(double));
	test_run_finish(&t);
	test_file_finish(&f);
	test_free(cells);
}

/* --- a rank of a run --- */

static void ranks_have_recordings(void **state)
{
	struct test_file f;
	struct test_run t;
	struct ts_index index;

	(void)state;
	test_run_init(&t);
	for (int32_t rank = 0; rank < 3; rank++) {
		char name[64];

		test_file_init(&f, rank == 2 ? 7 : rank, 3);
		declare_all(&f);
		plain_step(&f, 0, rank, 0);
		if (rank != 1)
			test_end(&f, 0, begin_of(2), 0, 1);
		(void)snprintf(name, sizeof name, "run/rank%d/recording.tscope", (int)rank);
		write_file(&t, name, &f);
		(void)snprintf(name, sizeof name, "run/rank%d/run.json", (int)rank);
		test_write(&t, name, "{\"name\": \"three\", \"world_size\": 3, \"config\": {\"lr\": 0.5}}");
		test_file_finish(&f);
	}
	test_write(&t, "run/rank3/steps.jsonl", "{\"step\":0}\n");
	test_write(&t, "run/recording.tscope", "");
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.n_ranks, 4);
	assert_int_equal(t.result.world_size, 3);
	assert_false(t.result.finished);
	assert_string_equal(test_fact(&t, "config.lr"), "0.5");
	test_expect_notice(&t, "root_steps_ignored", TS_NOTICE_SKIPPED, 0, 1);
	test_expect_notice(&t, "no_end", TS_NOTICE_INFO, 0, 1);
	assert_true(ts_span_is(test_notice(&t, "no_end")->file, "rank1/recording.tscope"));
	assert_true(ts_span_is(test_notice(&t, "rank_mismatch")->file, "rank2/recording.tscope"));
	test_index(&t, 2, &index);
	assert_int_equal(index.tables[0].blocks[0].first_key, 2);
	test_round_trip(&t);
	t.strict = true;
	assert_int_equal(test_ingest(&t), TS_INVALID);
	assert_non_null(strstr(t.err.text, "root_steps_ignored"));
	test_run_finish(&t);
}

static void both_ways_of_steps_are_refused(void **state)
{
	struct test_file f;
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_file_init(&f, 0, 1);
	write_file(&t, "run/recording.tscope", &f);
	test_write(&t, "run/steps.jsonl", "{\"step\":0}\n");
	assert_int_equal(test_ingest(&t), TS_INVALID);
	assert_non_null(strstr(t.err.text, "run/recording.tscope"));
	assert_non_null(strstr(t.err.text, "run/steps.jsonl"));
	test_file_finish(&f);
	test_run_finish(&t);
}

/* Digests and events that others wrote beside a recording come behind its own. */
static void files_beside_a_recording_follow(void **state)
{
	struct test_file f;
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_file_init(&f, 0, 1);
	full_recording(&f, false);
	write_full_json(&t);
	(void)remove(ts_arena_printf(&t.arena, "%s/steps.jsonl", t.path));
	write_file(&t, "run/recording.tscope", &f);
	test_write(&t, "run/digests.jsonl", full_digests);
	test_write(&t, "run/facts.json", "{\"columns\": {\"phases.forward\": {\"clock\": \"sun\"}}}");
	test_ingest_ok(&t, t.path);
	assert_int_equal(t.result.timed, 10);
	assert_int_equal(t.result.digests, 4);
	assert_string_equal(test_fact(&t, "columns.phases\\.forward.clock"), "sun");
	test_round_trip(&t);
	test_file_finish(&f);
	test_run_finish(&t);
}

/* --- what it says of its end --- */

static void the_end_says_what_was_lost(void **state)
{
	struct test_file f;
	struct test_run t;

	(void)state;
	test_run_init(&t);
	test_file_init(&f, 0, 1);
	declare_all(&f);
	plain_step(&f, 0, 0, 0);
	f.steps = 12;
	test_end(&f, 0, begin_of(20), 34, 2);
	write_file(&t, "run/recording.tscope", &f);
	test_ingest_ok(&t, t.path);
	test_expect_notice(&t, "lost_frames", TS_NOTICE_SKIPPED, 0, 1);
	assert_non_null(strstr((const char *)test_notice(&t, "lost_frames")->detail.data, "34 steps, regions"));
	assert_non_null(strstr((const char *)test_notice(&t, "lost_steps")->detail.data, "12 steps were recorded, and 1"));
	assert_non_null(strstr((const char *)test_notice(&t, "recording_stopped")->detail.data, "no space"));
	assert_int_equal(t.result.notices.n, 3);
	assert_true(t.result.finished);
	test_file_finish(&f);
	test_run_finish(&t);
}

static void a_lock_says_that_it_still_grows(void **state)
{
	struct test_file f;
	struct test_run t;
	int ready[2], done[2];
	char path[256], byte;
	pid_t child;

	(void)state;
	test_run_init(&t);
	test_file_init(&f, 0, 1);
	declare_all(&f);
	plain_step(&f, 0, 0, 0);
	write_file(&t, "run/recording.tscope", &f);
	(void)snprintf(path, sizeof path, "%s/recording.tscope", t.path);
	assert_true(pipe(ready) == 0 && pipe(done) == 0);
	child = fork();
	if (child == 0) {
		struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
		int fd = open(path, O_RDWR | O_CLOEXEC);

		_exit(fd < 0 || fcntl(fd, F_SETLK, &lock) || write(ready[1], "", 1) != 1 || close(done[1]) ||
		      read(done[0], &byte, 1) != 0);
	}
	assert_true(child > 0);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	test_ingest_ok(&t, t.path);
	test_expect_notice(&t, "still_growing", TS_NOTICE_INFO, 0, 1);
	assert_int_equal(t.result.notices.n, 1);
	assert_false(t.result.finished);
	assert_int_equal(close(done[1]), 0);
	assert_int_equal(waitpid(child, &(int){0}, 0), child);
	test_ingest_ok(&t, t.path);
	test_expect_notice(&t, "no_end", TS_NOTICE_INFO, 0, 1);
	assert_null(test_notice(&t, "still_growing"));
	(void)close(done[0]);
	(void)close(ready[0]);
	(void)close(ready[1]);
	test_file_finish(&f);
	test_run_finish(&t);
}

/* --- while it grows --- */

/* Asserts what a push that extends another asks: each column of the old run is there with the same keys and bits first. */
static void expect_extends(struct test_run *old, struct test_run *now)
{
	struct ts_index a, b;

	test_index(old, 0, &a);
	test_index(now, 0, &b);
	for (size_t i = 0; i < a.n_tables; i++)
		for (size_t k = 0; k < a.tables[i].n_columns && a.tables[i].kind != TS_TABLE_SUPERSEDED; k++) {
			const struct ts_column *x = &a.tables[i].columns[k], *y;
			const struct ts_table *table;
			size_t n = a.tables[i].rows;

			y = ts_index_column(&b, a.tables[i].kind, x->name, x->type, &table);
			assert_non_null(y);
			assert_true(table->rows >= n);
			assert_memory_equal(test_objects_keys(&old->objects, &a.tables[i], &old->arena),
					    test_objects_keys(&now->objects, table, &now->arena), n * sizeof(int64_t));
			if (x->type == TS_COLUMN_F64 || x->type == TS_COLUMN_U64)
				assert_memory_equal(test_objects_words(&old->objects, &a.tables[i], x, &old->arena),
						    test_objects_words(&now->objects, table, y, &now->arena), n * 8);
		}
}

struct growth {
	struct test_run *last, *now;
	uint64_t rows, parts;
};

static void read_part(struct test_file *f, void *ctx)
{
	struct growth *g = ctx;

	write_file(g->now, "run/recording.tscope", f);
	test_ingest_ok(g->now, g->now->path);
	assert_true(g->now->result.rows + g->now->result.timed >= g->rows);
	assert_null(test_notice(g->now, "bad_frame"));
	g->rows = g->now->result.rows + g->now->result.timed;
	expect_extends(g->now, g->last);
	g->parts++;
}

/* Read after every frame, and compared with the whole. */
static void every_part_of_a_recording_is_extended_by_the_whole(void **state)
{
	struct test_run last, part;
	struct test_file f;
	struct growth g = {&last, &part, 0, 0};

	(void)state;
	test_run_init(&last);
	test_file_init(&f, 0, 1);
	full_recording(&f, false);
	write_file(&last, "run/recording.tscope", &f);
	test_ingest_ok(&last, last.path);
	test_file_finish(&f);
	test_run_init(&part);
	test_file_init(&f, 0, 1);
	f.after = read_part;
	f.ctx = &g;
	full_recording(&f, false);
	assert_int_equal(g.parts, 21);
	expect_same(&part.result.head, &last.result.head);
	test_file_finish(&f);
	test_run_finish(&part);
	test_run_finish(&last);
}

/* What stands in memory, into the file: the first bytes last, as the recorder stores them. */
static void put_backwards(int fd, const struct test_file *f, size_t at, size_t n)
{
	if (pwrite(fd, f->data + at + 4, n - 4, (off_t)(at + 4)) != (ssize_t)(n - 4) || pwrite(fd, f->data + at, 4, (off_t)at) != 4)
		_exit(2);
}

/* ctx: the descriptor of the file. */
static void write_frame(struct test_file *f, void *ctx)
{
	size_t chunk = f->at / TEST_CHUNK * TEST_CHUNK, header = chunk ? chunk : 128;
	int fd = *(int *)ctx;

	if (f->at == header + 32) {
		if (ftruncate(fd, (off_t)f->size))
			_exit(2);
		put_backwards(fd, f, header, 32);
	}
	put_backwards(fd, f, f->at, f->len);
}

static void record_two_lanes(struct test_file *f, const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	f->after = write_frame;
	f->ctx = &fd;
	for (int64_t i = 0; i < 20000; i++) {
		test_region(f, 1, 3, i, begin_of(i) + TEST_MS, TEST_MS);
		if (i % 2)
			test_event_number(f, 1, 8, i, begin_of(i) + 3 * TEST_MS, (double)i);
		plain_step(f, 0, i, i);
		if (i > 3)
			test_late(f, 2, i - 3, TEST_CELLS({2, (uint64_t)i}));
	}
	_exit(0);
}

/* A process writes into three lanes while this one reads; every reading is extended by the next. */
static void what_is_read_while_another_writes_is_extended(void **state)
{
	struct test_run runs[2];
	struct test_file f;
	char path[256];
	pid_t child;
	int status = 1;
	uint64_t readings = 0, grown = 0;
	bool over = false;

	(void)state;
	test_run_init(&runs[0]);
	test_run_init(&runs[1]);
	test_file_init(&f, 0, 1);
	declare_all(&f);
	write_file(&runs[0], "run/recording.tscope", &f);
	(void)snprintf(path, sizeof path, "%s/recording.tscope", runs[0].path);
	child = fork();
	if (child == 0)
		record_two_lanes(&f, path);
	assert_true(child > 0);
	while (!over) {
		struct test_run *now = &runs[readings % 2], *before = &runs[1 - readings % 2];

		over = waitpid(child, &status, WNOHANG) == child;
		test_ingest_ok(now, runs[0].path);
		if (readings++ > 0)
			expect_extends(before, now);
		grown += test_notice(now, "still_growing") != NULL;
		for (size_t i = 0; i < now->result.notices.n; i++)
			if (now->result.notices.items[i].level == TS_NOTICE_SKIPPED)
				fail_msg("%s: %s", now->result.notices.items[i].code,
					 (const char *)now->result.notices.items[i].detail.data);
		if (over)
			assert_int_equal(now->result.rows, 20000);
	}
	assert_int_equal(status, 0);
	assert_true(readings > 3 && grown > 0);
	test_file_finish(&f);
	test_run_finish(&runs[0]);
	test_run_finish(&runs[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recording_is_the_run_of_its_steps),
		cmocka_unit_test(what_waits_for_the_first_step_is_a_row_if_none_comes),
		cmocka_unit_test(lanes_late_values_regions_events_and_digests_are_merged),
		cmocka_unit_test(late_values_are_those_of_their_step),
		cmocka_unit_test(restarts_make_the_segments_of_steps_jsonl),
		cmocka_unit_test(threads_that_take_turns_give_the_same_rows),
		cmocka_unit_test(sixteen_thousand_columns),
		cmocka_unit_test(ranks_have_recordings),
		cmocka_unit_test(both_ways_of_steps_are_refused),
		cmocka_unit_test(files_beside_a_recording_follow),
		cmocka_unit_test(the_end_says_what_was_lost),
		cmocka_unit_test(a_lock_says_that_it_still_grows),
		cmocka_unit_test(every_part_of_a_recording_is_extended_by_the_whole),
		cmocka_unit_test(what_is_read_while_another_writes_is_extended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
