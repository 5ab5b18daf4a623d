/* Compressed data and text come back byte for byte, whoever wrote them and wherever they are cut, and nothing hostile gets through. */
#include "store/deflate.h"

#include "base/alloc.h"
#include "base/limits.h"
#include "store/line_forms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

enum { ROOM = 4 << 20 };

static uint64_t seed = 1;

static uint32_t next_random(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % below;
}

/* Events as a profiler writes them; they differ in their numbers and a few names. */
static void write_events(struct ts_buf *out, int n)
{
	static const char *const names[] = {"aten::mm", "aten::add_", "volta_sgemm_128x64_tn", "cudaLaunchKernel", "a\\\"quote"};
	uint64_t ts = 1694128201545;

	ts_buf_str(out, "{\"traceEvents\": [\n");
	for (int i = 0; i < n; i++) {
		ts += next_random(900);
		ts_buf_printf(out, "  {\n    \"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"%s\", \"pid\": %u, \"tid\": 7,\n",
			      names[next_random(5)], next_random(3));
		ts_buf_printf(out, "    \"ts\": %" PRIu64 ".%03u, \"dur\": %u.%03u,\n", ts, next_random(1000), next_random(90),
			      next_random(1000));
		ts_buf_printf(out, "    \"args\": {\"External id\": %d, \"addr\": \"0x%x\", \"occupancy\": 0.%u}\n  },\n", i,
			      next_random(1 << 30), next_random(100000));
	}
	ts_buf_str(out, "]}\n");
}

static void gzip_of(struct ts_span text, int level, int memory, int strategy, size_t flush_each, struct ts_buf *out)
{
	z_stream z = {0};
	size_t at = 0;

	assert_int_equal(deflateInit2(&z, level, Z_DEFLATED, 31, memory, strategy), Z_OK);
	do {
		size_t n = flush_each && text.len - at > flush_each ? flush_each : text.len - at;

		z.next_in = (z_const Bytef *)(uintptr_t)(text.data + at);
		z.avail_in = (uInt)n;
		z.next_out = ts_buf_reserve(out, ROOM);
		z.avail_out = ROOM;
		at += n;
		assert_in_range(deflate(&z, at == text.len ? Z_FINISH : Z_SYNC_FLUSH), Z_OK, Z_STREAM_END);
		out->len += ROOM - z.avail_out;
	} while (at < text.len);
	(void)deflateEnd(&z);
}

/* Encodes pieces of so many bytes one after the other, and decodes each alone. Returns the bytes that all take. */
static size_t round_trip(struct ts_span data, size_t piece)
{
	struct ts_trail trail = {0};
	struct ts_scratch *s;
	struct ts_error err;
	size_t total = 0;

	assert_int_equal(ts_scratch_get(&s, &err), TS_OK);
	for (size_t at = 0; at < data.len; at += piece) {
		struct ts_span part = ts_span_part(data, at, data.len - at < piece ? data.len - at : piece);
		struct ts_buf out = TS_BUF_INIT(ROOM);
		uint8_t *back = malloc(part.len);

		if (ts_deflate_encode(s, &trail, part, &out, &err)) {
			assert_int_equal(err.status, TS_UNSUPPORTED);
			total += part.len;
		} else {
			assert_int_equal(ts_deflate_decode(s, ts_buf_view(&out), back, part.len, &err), TS_OK);
			assert_memory_equal(back, part.data, part.len);
			total += out.len;
		}
		free(back);
		ts_buf_finish(&out);
	}
	ts_trail_finish(&trail);
	return total;
}

static size_t lines_of(struct ts_span text)
{
	struct ts_buf out = TS_BUF_INIT(ROOM);
	struct ts_scratch *s;
	struct ts_error err;
	size_t n;

	assert_int_equal(ts_scratch_get(&s, &err), TS_OK);
	assert_int_equal(ts_lines_encode(s, text, &out, &err), TS_OK);
	n = out.len;
	ts_buf_finish(&out);
	return n;
}

/* What zlib writes at each level, with both sizes of its hash, is told by the text, the level and the heads of blocks, of some hundred
 * bytes each: a rule that is another one would show in the size. */
static void every_level_of_zlib_becomes_small(void **state)
{
	struct ts_buf text = TS_BUF_INIT(ROOM);

	size_t lines;

	(void)state;
	write_events(&text, 2000);
	lines = lines_of(ts_buf_view(&text));
	for (int level = 1; level <= 9; level++)
		for (int memory = 8; memory <= 9; memory++) {
			struct ts_buf gz = TS_BUF_INIT(2 * ROOM);

			gzip_of(ts_buf_view(&text), level, memory, Z_DEFAULT_STRATEGY, 0, &gz);
			assert_in_range(round_trip(ts_buf_view(&gz), TS_OBJECT_MAX), lines, lines + gz.len / 100 + 300);
			ts_buf_finish(&gz);
		}
	ts_buf_finish(&text);
}

/* A cut may lie in a head, a token, a stored block or the check at the end. */
static void a_file_may_be_cut_anywhere(void **state)
{
	static const int levels[] = {9, 6, 1, 0};
	struct ts_buf text = TS_BUF_INIT(ROOM), two = TS_BUF_INIT(2 * ROOM);

	(void)state;
	write_events(&text, 12);
	for (size_t i = 0; i < 4; i++) /* members of all kinds, and a flush between */
		gzip_of(ts_buf_view(&text), levels[i], 8, i % 2 ? Z_FIXED : Z_DEFAULT_STRATEGY, i == 1 ? 500 : 0, &two);
	ts_buf_str(&two, "behind the end");
	for (size_t piece = 41; piece < two.len; piece += piece / 3)
		(void)round_trip(ts_buf_view(&two), piece);
	ts_buf_finish(&text);
	ts_buf_finish(&two);
}

/* Pieces of a file take hardly more than the whole, so the codes, the window and the place go along. */
static void pieces_go_on_where_the_last_ended(void **state)
{
	struct ts_buf text = TS_BUF_INIT(16 << 20), gz = TS_BUF_INIT(2 * ROOM);
	size_t whole;

	(void)state;
	write_events(&text, 8000);
	gzip_of(ts_buf_view(&text), 9, 8, Z_DEFAULT_STRATEGY, 0, &gz);
	assert_true(gz.len > 150000);
	whole = round_trip(ts_buf_view(&gz), gz.len);
	/* Forms and columns begin anew in each of four, and 32 KiB of text stand in two. */
	assert_in_range(round_trip(ts_buf_view(&gz), 50000), whole, whole * 6 / 5);
	ts_buf_finish(&text);
	ts_buf_finish(&gz);
}

/* The second of two files has no text of the first: it takes as much as alone. */
static void a_file_begins_without_the_one_before(void **state)
{
	struct ts_buf text = TS_BUF_INIT(ROOM), gz = TS_BUF_INIT(2 * ROOM);
	size_t one, length;

	(void)state;
	write_events(&text, 500);
	gzip_of(ts_buf_view(&text), 6, 8, Z_DEFAULT_STRATEGY, 0, &gz);
	length = gz.len;
	one = round_trip(ts_buf_view(&gz), length);
	assert_true(one < length);
	gzip_of(ts_buf_view(&text), 6, 8, Z_DEFAULT_STRATEGY, 0, &gz);
	assert_int_equal(gz.len, 2 * length);
	assert_int_equal(round_trip(ts_buf_view(&gz), length), 2 * one);
	ts_buf_finish(&gz);
	ts_buf_finish(&text);
}

/* Strategies by which no level of zlib guesses right, and bytes that are no such data, are left alone or come back. */
static void other_rules_come_back(void **state)
{
	static const int strategies[] = {Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED};
	struct ts_buf text = TS_BUF_INIT(ROOM), noise = TS_BUF_INIT(ROOM), stored = TS_BUF_INIT(2 * ROOM);

	(void)state;
	write_events(&text, 300);
	for (size_t i = 0; i < 4; i++) {
		struct ts_buf gz = TS_BUF_INIT(2 * ROOM);

		gzip_of(ts_buf_view(&text), 6, 8, strategies[i], 0, &gz);
		(void)round_trip(ts_buf_view(&gz), TS_OBJECT_MAX);
		ts_buf_finish(&gz);
	}
	ts_buf_bytes(&noise, "\x1f\x8b\x08\0", 4);
	for (int i = 0; i < 10000; i++)
		ts_buf_u8(&noise, (uint8_t)next_random(256));
	assert_int_equal(round_trip(ts_buf_view(&noise), TS_OBJECT_MAX), noise.len);
	gzip_of(ts_buf_view(&noise), 6, 8, Z_DEFAULT_STRATEGY, 0, &stored);
	(void)round_trip(ts_buf_view(&stored), TS_OBJECT_MAX);
	ts_buf_finish(&text);
	ts_buf_finish(&noise);
	ts_buf_finish(&stored);
}

/* Any changed byte gives other bytes or TS_DAMAGED, and touches nothing beside what it was given (the sanitizers look). */
static void what_is_damaged_harms_nobody(void **state)
{
	struct ts_buf text = TS_BUF_INIT(ROOM), gz = TS_BUF_INIT(2 * ROOM), out = TS_BUF_INIT(ROOM);
	struct ts_trail trail = {0};
	struct ts_scratch *s;
	struct ts_error err;
	uint8_t *back;

	(void)state;
	write_events(&text, 60);
	gzip_of(ts_buf_view(&text), 9, 8, Z_DEFAULT_STRATEGY, 0, &gz);
	back = malloc(gz.len);
	assert_int_equal(ts_scratch_get(&s, &err), TS_OK);
	assert_int_equal(ts_deflate_encode(s, &trail, ts_buf_view(&gz), &out, &err), TS_OK);
	for (size_t i = 0; i < out.len * 8; i += 61) {
		out.data[i / 8] ^= (uint8_t)(1 << i % 8);
		if (ts_deflate_decode(s, ts_buf_view(&out), back, gz.len, &err))
			assert_int_equal(err.status, TS_DAMAGED);
		out.data[i / 8] ^= (uint8_t)(1 << i % 8);
	}
	for (size_t n = 0; n < out.len; n += 53)
		assert_int_equal(ts_deflate_decode(s, ts_span_of(out.data, n), back, gz.len, &err), TS_DAMAGED);
	assert_int_equal(ts_deflate_decode(s, ts_buf_view(&out), back, gz.len - 1, &err), TS_DAMAGED);
	free(back);
	ts_trail_finish(&trail);
	ts_buf_finish(&text);
	ts_buf_finish(&gz);
	ts_buf_finish(&out);
}

/* Empty blocks of ten bits: the tables of each cost what thousands of bytes do, so that few bytes would keep a reader busy for long. */
static void heads_without_text_are_left_alone(void **state)
{
	static const uint8_t member[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
	struct ts_buf gz = TS_BUF_INIT(ROOM);
	struct ts_trail trail = {0};
	struct ts_error err;

	(void)state;
	ts_buf_bytes(&gz, member, sizeof member);
	for (int i = 0; i < 50000; i++) /* five bytes have four blocks */
		ts_buf_bytes(&gz, "\x02\x08\x20\x80", 5);
	assert_int_equal(ts_trail_follow(&trail, ts_span_part(ts_buf_view(&gz), 0, 20), &err), TS_OK);
	assert_int_equal(ts_trail_follow(&trail, ts_span_from(ts_buf_view(&gz), 20), &err), TS_UNSUPPORTED);
	ts_trail_finish(&trail);
	ts_buf_finish(&gz);
}

/* Few bytes unpack to very many forms, of which each takes more memory than its bytes. */
static void more_forms_than_lines_are_refused(void **state)
{
	struct ts_buf in = TS_BUF_INIT(100);
	struct ts_scratch *s;
	struct ts_error err;
	uint8_t back[8];

	(void)state;
	assert_int_equal(ts_scratch_get(&s, &err), TS_OK);
	for (uint32_t more = 1; more <= 2; more++) { /* forms behind the one of both lines */
		ts_buf_reset(&in);
		ts_buf_u32(&in, 2);
		ts_buf_u32(&in, 4 + more);
		ts_buf_u32(&in, 0);
		ts_buf_bytes(&in, "abc\n\n\n", 4 + more);
		ts_buf_u32(&in, 0);
		ts_buf_u64(&in, 0);
		ts_buf_u64(&in, 0);
		ts_buf_u16(&in, 0);
		assert_int_equal(ts_lines_decode(s, ts_buf_view(&in), back, 8, &err), more == 1 ? TS_OK : TS_DAMAGED);
	}
	ts_buf_finish(&in);
}

static void lines_come_back(void **state)
{
	static const char *const texts[] = {
		"",
		"\n",
		"}",
		"7",
		"007 0.50 1.2.3 -5 +6 9.\n",
		"123456789012345678 1234567890123456789 0.12345678901234567 0.123456789012345678\n",
		"x1 _2 0x3f 4e5 6E-7 18446744073709551615}\r\n\t8",
		"no end 12.5",
		"\xff"
		"9 \xc3\xa9"
		"10\n",
		"0 0.0 00 0.00 10.01\n",
	};
	struct ts_scratch *s;
	struct ts_error err;
	uint8_t back[256];

	(void)state;
	assert_int_equal(ts_scratch_get(&s, &err), TS_OK);
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct ts_buf out = TS_BUF_INIT(4096);
		size_t n = strlen(texts[i]);

		assert_int_equal(ts_lines_encode(s, ts_span_str(texts[i]), &out, &err), TS_OK);
		assert_int_equal(ts_lines_decode(s, ts_buf_view(&out), back, n, &err), TS_OK);
		assert_memory_equal(back, texts[i], n);
		assert_int_equal(ts_lines_decode(s, ts_buf_view(&out), back, n + 1, &err), TS_DAMAGED);
		ts_buf_finish(&out);
	}
	for (int c = 1; c < 32; c++) { /* what stands for a number in a form is refused, and nothing else */
		struct ts_buf out = TS_BUF_INIT(4096);
		const uint8_t text[] = {'a', (uint8_t)c, '\n'};
		enum ts_status status = ts_lines_encode(s, ts_span_of(text, sizeof text), &out, &err);

		assert_int_equal(status == TS_OK ? ts_lines_decode(s, ts_buf_view(&out), back, sizeof text, &err) : TS_OK, TS_OK);
		assert_true(status == TS_UNSUPPORTED ? !out.len : !memcmp(back, text, sizeof text));
		assert_false((c == '\n' || c == '\t' || c == '\r') && status);
		ts_buf_finish(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_level_of_zlib_becomes_small), cmocka_unit_test(a_file_may_be_cut_anywhere),
		cmocka_unit_test(pieces_go_on_where_the_last_ended), cmocka_unit_test(other_rules_come_back),
		cmocka_unit_test(what_is_damaged_harms_nobody),	     cmocka_unit_test(lines_come_back),
		cmocka_unit_test(heads_without_text_are_left_alone), cmocka_unit_test(more_forms_than_lines_are_refused),
		cmocka_unit_test(a_file_begins_without_the_one_before),
	};

	return cmocka_run_group_tests_name("deflate", tests, NULL, NULL);
}
