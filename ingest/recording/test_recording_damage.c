/* Recordings that are cut, torn, damaged or hostile: what is sound is read, nothing is read wrong, and what was lost is said. */
#include "ingest/recording/recording.h"
#include "ingest/recording/test_recording_file.h"

#include "base/digest.h"
#include "run/test_objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* What reading these bytes gave. */
struct result {
	enum ts_status status;
	struct test_objects objects;
	struct ts_arena arena;
	struct ts_notices notices;
	struct ts_index index;
	struct ts_builder_stats stats;
	struct ts_error err;
};

static void read_bytes(const uint8_t *bytes, size_t n, struct result *r)
{
	struct ts_source source = {
		.fd = -1, .memory = ts_span_of(bytes, n), .size = n, .name = ts_span_str("r"), .path = ts_span_str("r")};
	struct ts_sink_count sink = {.sink = test_objects_sink, .ctx = &r->objects};
	struct ts_recording_into into = {.notices = &r->notices, .sink = &sink, .memory = 4096};
	struct ts_facts none = {.n = 0};
	struct ts_recording *recording;
	struct ts_builder *b;
	uint64_t segments;
	struct ts_id id;

	memset(r, 0, sizeof *r);
	ts_arena_init(&r->arena, 0);
	r->notices.arena = &r->arena;
	r->status = ts_recording_open(&source, &r->notices, &recording, &r->err);
	if (r->status)
		return;
	r->status = ts_recording_read(&recording, 1, &into, &b, &segments, &r->err);
	ts_recording_close(recording);
	if (r->status)
		return;
	ts_builder_stats(b, &r->stats);
	assert_int_equal(ts_builder_finish(b, &none, &id, &r->err), TS_OK);
	ts_builder_destroy(b);
	(void)test_objects_index(&r->objects, &id, &r->arena, &r->index);
}

static void forget(struct result *r)
{
	test_objects_finish(&r->objects);
	ts_arena_finish(&r->arena);
}

static void read_file(const struct test_file *f, struct result *r)
{
	read_bytes(f->data, f->size, r);
	if (r->status)
		fail_msg("%s", r->err.text);
}

static const struct ts_notice *notice(const struct result *r, const char *code)
{
	for (size_t i = 0; i < r->notices.n; i++)
		if (strcmp(r->notices.items[i].code, code) == 0)
			return &r->notices.items[i];
	return NULL;
}

static void expect_notice(const struct result *r, const char *code, uint64_t count)
{
	const struct ts_notice *n = notice(r, code);

	if (!n)
		fail_msg("no notice %s", code);
	assert_int_equal(n->level, TS_NOTICE_SKIPPED);
	assert_int_equal(n->count, count);
}

/* Asserts that every number of a step is that of the whole recording. Sums of regions are less where a region was lost. */
static void expect_part(struct result *whole, struct result *part)
{
	for (size_t i = 0; i < part->index.n_tables; i++) {
		const struct ts_table *t = &part->index.tables[i], *all;
		const int64_t *keys = test_objects_keys(&part->objects, t, &part->arena), *all_keys;

		for (size_t k = 0; t->kind == TS_TABLE_STEPS && k < t->n_columns; k++) {
			const struct ts_column *c = &t->columns[k], *same;
			const uint64_t *words, *all_words;
			size_t at = 0;

			if (ts_span_starts(c->name, ts_span_str("regions.")))
				continue;
			same = ts_index_column(&whole->index, TS_TABLE_STEPS, c->name, c->type, &all);
			assert_non_null(same);
			words = test_objects_words(&part->objects, t, c, &part->arena);
			all_keys = test_objects_keys(&whole->objects, all, &whole->arena);
			all_words = test_objects_words(&whole->objects, all, same, &whole->arena);
			for (size_t row = 0; row < t->rows; row++) {
				while (at < all->rows && all_keys[at] < keys[row])
					at++;
				assert_true(at < all->rows && all_keys[at] == keys[row]);
				assert_true(words[row] == all_words[at]);
			}
		}
	}
}

static int64_t begin_of(int64_t i)
{
	return TEST_MONO + i * 10 * TEST_MS;
}

/* Where the frames are, by the order in which they were written. */
struct places {
	size_t at[4096], len[4096], n;
};

static void note_place(struct test_file *f, void *ctx)
{
	struct places *p = ctx;

	assert_true(p->n < 4096);
	p->at[p->n] = f->at;
	p->len[p->n++] = f->len;
}

/* One of each kind of frame, in two lanes. */
static void small_recording(struct test_file *f, struct places *places)
{
	test_file_init(f, 0, 1);
	f->after = places ? note_place : NULL;
	f->ctx = places;
	test_column(f, 0, 1, TEST_PHASE, "forward");
	test_column(f, 0, 2, TEST_DEVICE, "all.reduce");
	test_column(f, 0, 3, TEST_REGION, "eval");
	test_column(f, 0, 4, TEST_NUMBER, "loss");
	test_column(f, 0, 7, TEST_DIGEST, "params");
	test_column(f, 0, 8, TEST_EVENT, "message");
	for (int64_t i = 0; i < 4; i++) {
		test_region(f, 1, 3, i, begin_of(i), TEST_MS);
		test_step(f, 0, i, begin_of(i), 9 * TEST_MS,
			  TEST_CELLS({1, (uint64_t)(i + 1) << 33 | 5}, {4, test_bits(0.1 * (double)i)},
				     {7, UINT64_C(0x0123456789abcdef) * (uint64_t)(i + 1)}));
		test_late(f, 0, i, TEST_CELLS({2, (uint64_t)(i + 7) << 30}));
	}
	test_event_text(f, 1, 8, 2, begin_of(4), "\033[31m\x07 text");
	test_event_number(f, 0, 8, INT64_MIN, begin_of(4), -1.5);
	test_digest(f, 0, 3, "mlp", 5, NULL, 2, 1);
	test_end(f, 0, begin_of(5), 0, 1);
}

static void cut_at_every_byte(void **state)
{
	struct result whole, part;
	struct test_file f;
	uint64_t before = 0;
	size_t used;

	(void)state;
	small_recording(&f, NULL);
	read_file(&f, &whole);
	assert_int_equal(whole.notices.n, 0);
	used = (size_t)TEST_CHUNK + f.lanes[1].at; /* the second lane has the second chunk */
	assert_int_equal(f.lanes[1].chunk, 1);
	for (size_t n = 0; n <= used; n += n >= f.lanes[0].at && n < TEST_CHUNK ? TEST_CHUNK - f.lanes[0].at : 1) {
		read_bytes(f.data, n, &part);
		if (part.status)
			fail_msg("cut at %zu: %s", n, part.err.text);
		assert_true(part.stats.rows >= before);
		before = part.stats.rows;
		assert_null(notice(&part, "bad_frame"));
		assert_true((notice(&part, "no_end") != NULL) == (n < f.lanes[0].at));
		expect_part(&whole, &part);
		forget(&part);
	}
	assert_int_equal(before, 4);
	forget(&whole);
	test_file_finish(&f);
}

/* A flipped bit costs the frame in which it is, and is said; in the words of a header it costs what it says. */
static void every_bit_flipped(void **state)
{
	struct result whole, part;
	struct test_file f;
	size_t n;

	(void)state;
	small_recording(&f, NULL);
	f.size = TEST_CHUNK + f.lanes[1].at; /* no more than that is looked at */
	read_file(&f, &whole);
	n = f.lanes[0].at;
	for (size_t bit = 0; bit < 8 * (n + f.lanes[1].at); bit++) {
		size_t at = bit / 8 < n ? bit / 8 : TEST_CHUNK + bit / 8 - n;
		uint8_t mask = (uint8_t)(1 << bit % 8);

		f.data[at] ^= mask;
		read_bytes(f.data, f.size, &part);
		if (part.status)
			fail_msg("byte %zu: %s", at, part.err.text);
		assert_true(part.stats.rows >= 3);
		assert_true(ts_notices_skipped(&part.notices) > 0);
		expect_part(&whole, &part);
		forget(&part);
		f.data[at] ^= mask;
	}
	forget(&whole);
	test_file_finish(&f);
}

/* A loss of power leaves pages of zeros anywhere: every step that no such page touches is read. */
static void pages_of_zeros(void **state)
{
	enum { PAGE = 4096, STEPS = 2500, DECLARED = 4 };
	static struct places places;
	struct result whole, part;
	struct test_file f;
	uint8_t page[PAGE];

	(void)state;
	places.n = 0;
	test_file_init(&f, 0, 1);
	f.after = note_place;
	f.ctx = &places;
	for (uint16_t i = 1; i <= DECLARED; i++)
		test_column(&f, 0, i, TEST_NUMBER, (char[]){(char)('a' + i), 0});
	for (int64_t i = 0; i < STEPS; i++)
		test_step(&f, 0, i, begin_of(i), 9 * TEST_MS, TEST_CELLS({1, test_bits((double)i)}, {2, test_bits(1)}));
	test_end(&f, 0, begin_of(STEPS), 0, 1);
	places.n--;
	read_file(&f, &whole);
	assert_int_equal(whole.stats.rows, STEPS);
	assert_true(f.chunks == 3);
	for (size_t from = 0; from < (size_t)f.chunks * TEST_CHUNK; from += PAGE) {
		size_t kept = 0, cut = 0;

		for (size_t i = DECLARED; i < places.n; i++) {
			bool touched = places.at[i] < from + PAGE && places.at[i] + places.len[i] > from;

			kept += !touched;
			cut += touched;
		}
		memcpy(page, f.data + from, PAGE);
		memset(f.data + from, 0, PAGE);
		read_file(&f, &part);
		assert_int_equal(part.stats.rows, kept);
		/* Without its end the last page that was written looks as if nothing had been written there yet. */
		assert_true(!cut || ts_notices_skipped(&part.notices) > 0 || notice(&part, "no_end"));
		expect_part(&whole, &part);
		forget(&part);
		memcpy(f.data + from, page, PAGE);
	}
	forget(&whole);
	test_file_finish(&f);
}

static void what_is_not_known_is_skipped_and_counted(void **state)
{
	struct test_file f;
	struct result r;

	(void)state;
	small_recording(&f, NULL);
	(void)test_frame(&f, 0, 9, "12345678", 8);
	(void)test_frame(&f, 1, 200, "", 0);
	test_step(&f, 0, 10, begin_of(10), 1, TEST_CELLS({99, 1}, {0, 2}, {8, 3}, {65535, 4}, {1, 5}));
	test_late(&f, 0, 10, TEST_CELLS({98, 1}));
	test_region(&f, 1, 1, 10, begin_of(11), 1);		    /* a phase is no region */
	test_event_number(&f, 1, 4, 10, begin_of(11), 1);	    /* a number is no event */
	test_digest(&f, 0, INT64_C(1) << 60, "far", 1, NULL, 0, 0); /* no double holds such steps */
	test_digest(&f, 0, 1, "", 1, NULL, 0, 0);
	test_late(&f, 0, 77, TEST_CELLS({1, 5})); /* there is no such step */
	read_file(&f, &r);
	expect_notice(&r, "unknown_frame", 2);
	expect_notice(&r, "unknown_column", 1);
	assert_non_null(strstr((const char *)notice(&r, "unknown_column")->detail.data, "7 values"));
	expect_notice(&r, "bad_digest", 2);
	expect_notice(&r, "late_value", 1);
	assert_int_equal(r.notices.n, 4); /* and END is not the last frame, which harms nothing */
	assert_int_equal(r.stats.rows, 5);
	assert_int_equal(r.stats.timed, 6);
	forget(&r);
	test_file_finish(&f);
}

static void columns_that_cannot_be_are_refused(void **state)
{
	struct test_file f;
	struct result r;
	char dots[256];

	(void)state;
	memset(dots, '.', 255);
	dots[255] = '\0';
	test_file_init(&f, 0, 1);
	test_column(&f, 0, 0, TEST_NUMBER, "zero");
	test_column(&f, 0, 1, 0, "no kind");
	test_column(&f, 0, 2, 77, "some kind");
	test_column(&f, 0, 3, TEST_NUMBER, "");
	test_column(&f, 0, 4, TEST_NUMBER, "\xff");
	test_column(&f, 0, 5, TEST_AMOUNT, "step");
	test_column(&f, 0, 6, TEST_AMOUNT, "scalars");
	test_column(&f, 0, 7, TEST_NUMBER, dots);
	test_column(&f, 0, 8, TEST_PHASE, "forward");
	test_column(&f, 0, 8, TEST_PHASE, "forward"); /* the same again is nothing */
	test_column(&f, 0, 8, TEST_PHASE, "backward");
	test_column(&f, 0, 9, TEST_DEVICE, "forward");
	test_column(&f, 0, 10, TEST_AMOUNT, "segment");
	test_column(&f, 0, 11, TEST_NUMBER, "a\n\033[0m\"b");
	test_step(&f, 0, 0, begin_of(0), 9, TEST_CELLS({8, 1}, {9, 2}, {10, test_bits(3)}, {11, test_bits(4)}));
	read_file(&f, &r);
	expect_notice(&r, "bad_column", 10);
	expect_notice(&r, "unknown_column", 1);
	assert_non_null(ts_index_column(&r.index, TS_TABLE_STEPS, ts_span_str("segment[0]"), TS_COLUMN_F64, NULL));
	assert_non_null(ts_index_column(&r.index, TS_TABLE_STEPS, ts_span_str("scalars.a\n\033\\[0m\"b"), TS_COLUMN_F64, NULL));
	assert_null(ts_index_column(&r.index, TS_TABLE_STEPS, ts_span_str("phases.backward"), TS_COLUMN_F64, NULL));
	forget(&r);
	test_file_finish(&f);
}

/* Two chunks, and a third, that say to be the same one of a thread: each is read as one of its own, and none is missing. */
static void chunks_that_say_to_be_the_same(void **state)
{
	struct test_file f;
	struct result r;

	(void)state;
	test_file_init(&f, 0, 1);
	test_column(&f, 0, 1, TEST_NUMBER, "loss");
	for (int64_t i = 0; i < 30; i++)
		test_step(&f, 1 + (uint32_t)(i / 10), i, begin_of(i), 9, TEST_CELLS({1, test_bits((double)i)}));
	test_end(&f, 0, begin_of(30), 0, 0);
	test_relabel(&f, f.lanes[2].chunk, 1, 0);
	test_relabel(&f, f.lanes[3].chunk, 1, 0);
	read_file(&f, &r);
	assert_null(notice(&r, "lost_chunk"));
	assert_int_equal(r.stats.rows, 30);
	forget(&r);
	test_file_finish(&f);
}

/* Words whose lengths lead anywhere, with a right checksum and without, and lengths inside frames that do not fit. */
static void hostile_lengths(void **state)
{
	static const uint32_t words[] = {0x02000004, 0x02000008, 0x0200000c, 0x02fffff8,
					 0x0200fff8, 0x02010000, 0xff000008, 0x02000001};
	struct test_file f;
	struct result r;
	struct places places = {.n = 0};
	size_t at;

	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		places.n = 0;
		small_recording(&f, &places);
		for (int k = 0; k < 4; k++)
			f.data[places.at[7] + (size_t)k] = (uint8_t)(words[i] >> 8 * k); /* the first step */
		read_file(&f, &r);
		assert_int_equal(r.stats.rows, 3);
		assert_true(notice(&r, "bad_frame") != NULL || notice(&r, "unknown_frame") != NULL);
		forget(&r);
		test_file_finish(&f);
	}
	small_recording(&f, NULL);
	(void)test_frame(&f, 0, 2, "", 0);
	at = test_frame(&f, 0, 2, (uint8_t[32]){[24] = 0xff, [25] = 0xff}, 32); /* 65,535 cells in none */
	assert_true(at > 0);
	(void)test_frame(&f, 0, 1, (uint8_t[8]){1, 0, 4, 255}, 8);
	(void)test_frame(&f, 0, 5, (uint8_t[32]){8, 0, 2, 0, 0xff, 0xff, 0xff, 0xff}, 32);
	(void)test_frame(&f, 0, 5, (uint8_t[32]){8, 0, 3}, 32);
	(void)test_frame(&f, 0, 6, (uint8_t[32]){[26] = 0xff, [27] = 0xff}, 32);
	(void)test_frame(&f, 0, 6, (uint8_t[40]){[25] = 6, [26] = 1}, 40);
	(void)test_frame(&f, 0, 4, (uint8_t[40]){3}, 40);
	(void)test_frame(&f, 0, 15, (uint8_t[8]){3}, 8);
	read_file(&f, &r);
	expect_notice(&r, "bad_frame", 9);
	assert_int_equal(r.stats.rows, 4);
	forget(&r);
	test_file_finish(&f);
}

/* Any times and any steps: what they add up to wraps, and nothing else happens. */
static void hostile_numbers(void **state)
{
	static const int64_t odd[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX, INT64_C(1) << 53};
	struct test_file f;
	struct result r;

	(void)state;
	test_file_init(&f, INT32_MIN, INT32_MIN);
	memset(f.data + 40, 0xff, 16);
	test_mend_header(&f);
	test_column(&f, 0, 1, TEST_PHASE, "p");
	test_column(&f, 0, 3, TEST_REGION, "r");
	test_column(&f, 0, 8, TEST_EVENT, "e");
	for (size_t i = 0; i < 8; i++)
		for (size_t k = 0; k < 8; k++) {
			test_step(&f, 0, odd[i], odd[k], odd[7 - i],
				  TEST_CELLS({1, (uint64_t)odd[k]}, {1, (uint64_t)odd[i]}, {3, UINT64_MAX}));
			test_region(&f, 1, 3, odd[k], odd[i], odd[k]);
			test_event_number(&f, 2, 8, odd[i], odd[k], 0);
			test_late(&f, 3, odd[k], TEST_CELLS({1, (uint64_t)odd[i]}, {3, UINT64_MAX}));
		}
	read_file(&f, &r);
	assert_in_range(r.stats.rows, 1, 8); /* times that wrap give no order, and so no restart that is right */
	assert_int_equal(r.stats.timed, 128);
	forget(&r);
	test_file_finish(&f);
}

static void chunks_lost_doubled_and_swapped(void **state)
{
	struct test_file f;
	struct result r;

	(void)state;
	test_file_init(&f, 0, 1);
	test_column(&f, 0, 4, TEST_NUMBER, "loss");
	for (int64_t i = 0; i < 5000; i++)
		test_step(&f, 0, i, begin_of(i), 9 * TEST_MS, TEST_CELLS({4, test_bits((double)i)}));
	assert_true(f.chunks >= 4);
	memset(f.data + TEST_CHUNK, 0, TEST_CHUNK); /* all of it */
	read_file(&f, &r);
	expect_notice(&r, "lost_chunk", 1);
	assert_true(r.stats.rows > 3000 && r.stats.rows < 5000);
	forget(&r);
	memcpy(f.data + TEST_CHUNK, f.data + 2 * (size_t)TEST_CHUNK, TEST_CHUNK); /* its header says that it is another one */
	read_file(&f, &r);
	expect_notice(&r, "bad_chunk", 1);
	assert_non_null(strstr((const char *)notice(&r, "bad_chunk")->detail.data, "chunk 1, byte 65536"));
	forget(&r);
	test_file_finish(&f);
}

/* The first word of a header comes last, as with a frame: a reader that comes before it finds a chunk that nothing stands in yet. */
static void a_header_that_is_being_written(void **state)
{
	struct test_file f;
	struct result r;

	(void)state;
	test_file_init(&f, 0, 1);
	test_column(&f, 0, 4, TEST_NUMBER, "loss");
	for (int64_t i = 0; f.chunks < 2; i++)
		test_step(&f, 0, i, begin_of(i), 9 * TEST_MS, TEST_CELLS({4, test_bits((double)i)}));
	memset(f.data + TEST_CHUNK, 0, 4);
	read_file(&f, &r);
	expect_notice(&r, "bad_chunk", 1); /* but a step follows it, so it was whole */
	forget(&r);
	memset(f.data + TEST_CHUNK + 32, 0, TEST_CHUNK - 32);
	read_file(&f, &r);
	assert_null(notice(&r, "bad_chunk"));
	forget(&r);
	test_file_finish(&f);
}

static void the_header_of_the_file(void **state)
{
	struct test_file f;
	struct result r;

	(void)state;
	small_recording(&f, NULL);
	f.data[41] ^= 1; /* the wall clock */
	read_file(&f, &r);
	expect_notice(&r, "bad_header", 1);
	assert_int_equal(r.stats.rows, 4);
	assert_int_equal(r.stats.timed, 0);
	assert_null(ts_index_column(&r.index, TS_TABLE_STEPS, ts_span_str("timestamp"), 0, NULL));
	forget(&r);
	test_mend_header(&f); /* then it is another time */
	read_file(&f, &r);
	assert_int_equal(r.notices.n, 0);
	forget(&r);
	f.data[8] = 2;
	test_mend_header(&f);
	read_bytes(f.data, f.size, &r);
	assert_int_equal(r.status, TS_INVALID);
	assert_non_null(strstr(r.err.text, "a recording of version 2"));
	forget(&r);
	read_bytes((const uint8_t *)"", 0, &r);
	assert_int_equal(r.status, TS_OK);
	assert_true(r.notices.n == 1 && notice(&r, "no_end"));
	forget(&r);
	test_file_finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_at_every_byte),
		cmocka_unit_test(every_bit_flipped),
		cmocka_unit_test(pages_of_zeros),
		cmocka_unit_test(what_is_not_known_is_skipped_and_counted),
		cmocka_unit_test(columns_that_cannot_be_are_refused),
		cmocka_unit_test(chunks_that_say_to_be_the_same),
		cmocka_unit_test(hostile_lengths),
		cmocka_unit_test(hostile_numbers),
		cmocka_unit_test(chunks_lost_doubled_and_swapped),
		cmocka_unit_test(a_header_that_is_being_written),
		cmocka_unit_test(the_header_of_the_file),
	};
	struct ts_error err;

	return ts_digest_init(&err) ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
