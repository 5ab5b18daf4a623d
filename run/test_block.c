#include "base/limits.h"
#include "base/object.h"
#include "run/block.h"
#include "run/test_roundtrip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const double values[] = {0.0, -0.0, 1.5, 0.1};

static void test_nans_are_one(void **unused)
{
	static const uint64_t nans[] = {UINT64_C(0x7ff8000000000000), UINT64_C(0xfff8000000000000),
					UINT64_C(0x7ff0000000000001), UINT64_C(0xffffffffffffffff)};
	static const uint8_t want[] = {0, 0, 0, 0, 0, 0, 0xf8, 0x7f};
	struct ts_buf buf = TS_BUF_INIT(TS_OBJECT_MAX);
	double in[4], out[4];
	struct ts_error err;

	(void)unused;
	memcpy(in, nans, sizeof in);
	ts_block_f64_encode(in, 4, &buf);
	assert_int_equal(buf.len, 16 + 32);
	for (int i = 0; i < 4; i++)
		assert_memory_equal(buf.data + 16 + 8 * i, want, 8);
	assert_int_equal(ts_block_f64_decode(ts_buf_view(&buf), 4, out, &err), TS_OK);
	buf.data[16] = 1; /* NaN with other bits is not canonical */
	assert_int_equal(ts_block_f64_decode(ts_buf_view(&buf), 4, out, &err), TS_DAMAGED);
	assert_string_equal(err.text, "byte 16: a NaN that is not the canonical one");
	ts_buf_finish(&buf);
}

static void test_zeros_keep_their_sign(void **unused)
{
	struct ts_buf buf = TS_BUF_INIT(TS_OBJECT_MAX);
	double out[4];
	struct ts_error err;

	(void)unused;
	ts_block_f64_encode(values, 4, &buf);
	assert_int_equal(ts_block_f64_decode(ts_buf_view(&buf), 4, out, &err), TS_OK);
	assert_memory_equal(out, values, sizeof values);
	assert_int_equal(ts_block_f64_decode(ts_buf_view(&buf), 3, out, &err), TS_DAMAGED);
	assert_int_equal(ts_block_f64_decode(ts_buf_view(&buf), 5, out, &err), TS_DAMAGED);
	assert_int_equal(ts_block_u64_decode(ts_buf_view(&buf), 4, (uint64_t *)(void *)out, &err), TS_DAMAGED);
	buf.data[5] = 2;
	assert_int_equal(ts_block_f64_decode(ts_buf_view(&buf), 4, out, &err), TS_UNSUPPORTED);
	ts_buf_finish(&buf);
}

static void test_blocks_may_lie_unaligned(void **unused)
{
	static uint8_t bytes[16 + 8 * 4 + 1];
	struct ts_buf buf = TS_BUF_INIT(TS_OBJECT_MAX);
	double out[4];
	struct ts_error err;

	(void)unused;
	ts_block_f64_encode(values, 4, &buf);
	memcpy(bytes + 1, buf.data, buf.len);
	assert_int_equal(ts_block_f64_decode(ts_span_of(bytes + 1, buf.len), 4, out, &err), TS_OK);
	assert_memory_equal(out, values, sizeof values);
	ts_buf_finish(&buf);
}

static void test_keys_increase(void **unused)
{
	static const int64_t good[] = {INT64_MIN, -1, 0, INT64_MAX};
	static const int64_t equal[] = {1, 2, 2};
	struct ts_buf buf = TS_BUF_INIT(TS_OBJECT_MAX);
	int64_t out[4];
	struct ts_error err;

	(void)unused;
	ts_block_keys_encode(good, 4, &buf);
	assert_int_equal(ts_block_keys_decode(ts_buf_view(&buf), 4, out, &err), TS_OK);
	assert_memory_equal(out, good, sizeof good);
	ts_buf_reset(&buf);
	ts_block_keys_encode(equal, 3, &buf);
	assert_int_equal(ts_block_keys_decode(ts_buf_view(&buf), 3, out, &err), TS_DAMAGED);
	assert_string_equal(err.text, "byte 32: keys do not increase");
	ts_buf_finish(&buf);
}

static void text_block(struct ts_buf *buf, const char *const *entries, size_t n, const uint32_t *codes, size_t rows)
{
	struct ts_span spans[8];

	for (size_t i = 0; i < n; i++)
		spans[i] = ts_span_str(entries[i]);
	ts_buf_reset(buf);
	ts_block_text_encode(spans, n, codes, rows, buf);
}

static void test_text_dictionary_is_strict(void **unused)
{
	static const char *const ab[] = {"a", "b"};
	static const char *const aa[] = {"a", "a"};
	static const uint32_t good[] = {0, 1, 0};
	static const uint32_t reversed[] = {1, 0, 0};
	static const uint32_t unused_b[] = {0, 0, 0};
	static const uint32_t beyond[] = {0, 1, 2};
	static const char *const abc[] = {"a", "b", "c"};
	static const uint32_t c_before_b[] = {0, 2, 1, 2};
	struct ts_buf buf = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_arena arena;
	struct ts_span out[4];
	struct ts_error err;

	(void)unused;
	ts_arena_init(&arena, 0);
	text_block(&buf, ab, 2, good, 3);
	assert_int_equal(ts_block_text_decode(ts_buf_view(&buf), 3, &arena, out, &err), TS_OK);
	assert_true(ts_span_is(out[0], "a") && ts_span_is(out[1], "b") && ts_span_is(out[2], "a"));
	assert_int_equal(ts_block_text_decode(ts_buf_view(&buf), 2, &arena, out, &err), TS_DAMAGED);
	text_block(&buf, ab, 2, reversed, 3);
	assert_int_equal(ts_block_text_decode(ts_buf_view(&buf), 3, &arena, out, &err), TS_DAMAGED);
	text_block(&buf, ab, 2, unused_b, 3);
	assert_int_equal(ts_block_text_decode(ts_buf_view(&buf), 3, &arena, out, &err), TS_DAMAGED);
	text_block(&buf, ab, 2, beyond, 3);
	assert_int_equal(ts_block_text_decode(ts_buf_view(&buf), 3, &arena, out, &err), TS_DAMAGED);
	text_block(&buf, abc, 3, c_before_b, 4);
	assert_int_equal(ts_block_text_decode(ts_buf_view(&buf), 4, &arena, out, &err), TS_DAMAGED);
	text_block(&buf, aa, 2, good, 3);
	assert_int_equal(ts_block_text_decode(ts_buf_view(&buf), 3, &arena, out, &err), TS_DAMAGED);
	ts_arena_finish(&arena);
	ts_buf_finish(&buf);
}

/* A dictionary that claims more texts than it has bytes is refused before memory is allocated. */
static void test_counts_are_checked_before_memory(void **unused)
{
	struct ts_buf buf = TS_BUF_INIT(TS_OBJECT_MAX);
	struct ts_arena arena;
	static struct ts_span out[TS_BLOCK_ROWS_MAX];
	struct ts_error err;

	(void)unused;
	ts_arena_init(&arena, 0);
	ts_object_begin(&buf, TS_KIND_TEXT, 1, TS_LAYOUT_BYTES, NULL, 0);
	ts_buf_u32(&buf, TS_BLOCK_ROWS_MAX);
	ts_buf_u32(&buf, TS_BLOCK_ROWS_MAX);
	assert_int_equal(ts_block_text_decode(ts_buf_view(&buf), TS_BLOCK_ROWS_MAX, &arena, out, &err), TS_DAMAGED);
	assert_int_equal(arena.used, 0);
	ts_arena_finish(&arena);
	ts_buf_finish(&buf);
}

static void test_damaged_blocks(void **unused)
{
	static const char *const words[] = {"loss", "", "longer text"};
	static const uint32_t codes[] = {0, 1, 1, 2, 0};
	static const int64_t keys[] = {-9, 4, 5};
	struct ts_buf buf = TS_BUF_INIT(TS_OBJECT_MAX);

	(void)unused;
	text_block(&buf, words, 3, codes, 5);
	assert_true(test_damage(ts_buf_view(&buf), buf.len * 8) > buf.len);
	ts_buf_reset(&buf);
	ts_block_keys_encode(keys, 3, &buf);
	assert_true(test_damage(ts_buf_view(&buf), buf.len * 8) > buf.len / 2);
	ts_buf_reset(&buf);
	ts_block_f64_encode(values, 4, &buf);
	assert_true(test_damage(ts_buf_view(&buf), buf.len * 8) > buf.len / 2);
	ts_buf_finish(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nans_are_one),
		cmocka_unit_test(test_zeros_keep_their_sign),
		cmocka_unit_test(test_blocks_may_lie_unaligned),
		cmocka_unit_test(test_keys_increase),
		cmocka_unit_test(test_text_dictionary_is_strict),
		cmocka_unit_test(test_counts_are_checked_before_memory),
		cmocka_unit_test(test_damaged_blocks),
	};

	return cmocka_run_group_tests_name("block", tests, NULL, NULL);
}
