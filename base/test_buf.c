#include "base/alloc.h"
#include "base/buf.h"
#include "base/cursor.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void test_little_endian_both_ways(void **unused)
{
	static const uint8_t want[] = {0xAB, 0x02, 0x01, 0x06, 0x05, 0x04, 0x03, 0x0E, 0x0D, 0x0C, 0x0B, 0x0A, 0x09,
				       0x08, 0x07, 0,	 0,    0,    0,	   0,	 0,    0xF0, 0x3F, 'x',	 'y'};
	struct ts_buf buf = TS_BUF_INIT(1 << 20);
	struct ts_cursor c;

	(void)unused;
	ts_buf_u8(&buf, 0xAB);
	ts_buf_u16(&buf, 0x0102);
	ts_buf_u32(&buf, 0x03040506);
	ts_buf_u64(&buf, UINT64_C(0x0708090A0B0C0D0E));
	ts_buf_f64(&buf, 1.0);
	ts_buf_str(&buf, "x");
	ts_buf_char(&buf, 'y');
	assert_int_equal(buf.len, sizeof want);
	assert_memory_equal(buf.data, want, sizeof want);
	c = ts_cursor_of(ts_buf_view(&buf));
	assert_int_equal(ts_cursor_u8(&c), 0xAB);
	assert_int_equal(ts_cursor_u16(&c), 0x0102);
	assert_int_equal(ts_cursor_u32(&c), 0x03040506);
	assert_true(ts_cursor_u64(&c) == UINT64_C(0x0708090A0B0C0D0E));
	assert_true(ts_cursor_f64(&c) == 1.0);
	assert_int_equal(ts_cursor_left(&c), 2);
	assert_false(c.failed);
	assert_int_equal(ts_cursor_u32(&c), 0);
	assert_true(c.failed);
	assert_int_equal(c.at, 23);
	assert_int_equal(ts_cursor_u8(&c), 0); /* the cursor stays failed although a byte is left */
	assert_int_equal(ts_cursor_left(&c), 0);
	ts_buf_finish(&buf);
}

static void test_big_endian_both_ways(void **unused)
{
	static const uint8_t want[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08};
	uint8_t bytes[8];

	(void)unused;
	ts_store_be(bytes, UINT64_C(0x0102030405060708), 8);
	assert_memory_equal(bytes, want, 8);
	assert_true(ts_load_be(bytes, 8) == UINT64_C(0x0102030405060708));
	ts_store_be(bytes, UINT64_C(0xFFFF000001020304), 4);
	assert_memory_equal(bytes, want, 4);
	assert_int_equal(ts_load_be(bytes, 2), 0x0102);
	assert_int_equal(ts_load_be(bytes, 0), 0);
}

static void test_growth_keeps_what_is_there(void **unused)
{
	struct ts_buf buf = TS_BUF_INIT(1 << 20);
	struct ts_error err;

	(void)unused;
	for (uint32_t i = 0; i < 10000; i++)
		ts_buf_u32(&buf, i);
	assert_int_equal(ts_buf_check(&buf, &err), TS_OK);
	for (uint32_t i = 0; i < 10000; i++)
		assert_true(ts_load_le(buf.data + 4 * (size_t)i, 4) == i);
	ts_buf_finish(&buf);
	assert_int_equal(buf.ceiling, 1 << 20);
}

static void test_ceiling(void **unused)
{
	struct ts_buf buf = TS_BUF_INIT(10);
	struct ts_error err;

	(void)unused;
	ts_buf_str(&buf, "0123456789");
	assert_int_equal(ts_buf_check(&buf, &err), TS_OK);
	ts_buf_char(&buf, 'x');
	assert_int_equal(ts_buf_check(&buf, &err), TS_TOO_LARGE);
	assert_string_equal(err.text, "more than 10 bytes");
	assert_int_equal(buf.len, 10);
	ts_buf_bytes(&buf, NULL, 0);
	assert_null(ts_buf_reserve(&buf, SIZE_MAX));
	ts_buf_reset(&buf);
	ts_buf_str(&buf, "again");
	assert_int_equal(ts_buf_check(&buf, &err), TS_OK);
	assert_memory_equal(buf.data, "again", 5);
	ts_buf_finish(&buf);
}

/* After the first failure nothing is written, not even what would still fit. */
static void test_first_failure_is_remembered(void **unused)
{
	struct ts_buf buf = TS_BUF_INIT(10);
	struct ts_error err;

	(void)unused;
	ts_buf_str(&buf, "abc");
	ts_buf_str(&buf, "too long for it");
	ts_buf_str(&buf, "d");
	ts_buf_printf(&buf, "%d", 1);
	assert_int_equal(buf.len, 3);
	assert_int_equal(ts_buf_check(&buf, &err), TS_TOO_LARGE);
	ts_buf_finish(&buf);
}

/* Only a lack of memory is passed on: text that was too large for a part was left out on purpose. */
static void test_a_lack_of_memory_is_passed_on(void **unused)
{
	struct ts_buf whole = TS_BUF_INIT(100), part = TS_BUF_INIT(2);

	(void)unused;
	ts_buf_lacks(&whole, &part);
	assert_int_equal(whole.failed, TS_OK);
	ts_buf_str(&part, "abc");
	assert_int_equal(part.failed, TS_TOO_LARGE);
	ts_buf_lacks(&whole, &part);
	assert_int_equal(whole.failed, TS_OK);
	part.failed = TS_NO_MEMORY;
	ts_buf_lacks(&whole, &part);
	assert_int_equal(whole.failed, TS_NO_MEMORY);
	whole.failed = TS_TOO_LARGE;
	ts_buf_lacks(&whole, &part);
	assert_int_equal(whole.failed, TS_TOO_LARGE); /* the first failure */
	ts_buf_finish(&whole);
	ts_buf_finish(&part);
}

static void test_printf(void **unused)
{
	struct ts_buf buf = TS_BUF_INIT(1 << 20);
	struct ts_error err;

	(void)unused;
	ts_buf_printf(&buf, "%s=%d;", "a", 7);
	ts_buf_printf(&buf, "%01000d", 1);
	assert_int_equal(buf.len, 1004);
	assert_memory_equal(buf.data, "a=7;000", 7);
	assert_int_equal(ts_buf_check(&buf, &err), TS_OK);
	ts_buf_finish(&buf);
}

static void test_nth_allocation_fails(void **unused)
{
	size_t n;

	(void)unused;
	for (n = 1;; n++) {
		struct ts_buf buf = TS_BUF_INIT(1 << 20);
		struct ts_error err;
		bool failed;

		ts_alloc_fail_at(n);
		for (uint32_t i = 0; i < 1000; i++)
			ts_buf_u32(&buf, i);
		ts_buf_printf(&buf, "%05000d", 1);
		failed = ts_alloc_fail_at(0) >= n;
		assert_int_equal(ts_buf_check(&buf, &err), failed ? TS_NO_MEMORY : TS_OK);
		for (uint32_t i = 0; i < buf.len / 4 && i < 1000; i++)
			assert_true(ts_load_le(buf.data + 4 * (size_t)i, 4) == i);
		assert_true(failed ? buf.len < 9000 : buf.len == 9000);
		ts_buf_finish(&buf);
		if (!failed)
			break;
	}
	assert_true(n > 3);
}

static void test_sizes_are_checked(void **unused)
{
	size_t v = 42;

	(void)unused;
	assert_false(ts_size_mul(SIZE_MAX / 2 + 1, 2, &v));
	assert_false(ts_size_add(SIZE_MAX, 1, &v));
	assert_int_equal(v, 42);
	assert_true(ts_size_mul(6, 7, &v) && v == 42);
	assert_true(ts_size_add(SIZE_MAX - 1, 1, &v) && v == SIZE_MAX);
	assert_null(ts_alloc(0));
	assert_null(ts_alloc_array(SIZE_MAX / 2, 3));
}

static void test_spans(void **unused)
{
	struct ts_span none = ts_span_of(NULL, 0);

	(void)unused;
	assert_true(ts_span_eq(none, ts_span_str("")));
	assert_true(ts_span_cmp(ts_span_str("a"), ts_span_str("ab")) < 0);
	assert_true(ts_span_cmp(ts_span_str("b"), ts_span_str("ab")) > 0);
	assert_true(ts_span_cmp(ts_span_str("\xFF"), ts_span_str("a")) > 0);
	assert_int_equal(ts_span_cmp(none, none), 0);
	assert_true(ts_span_starts(ts_span_str("abc"), ts_span_str("ab")));
	assert_true(ts_span_starts(none, none));
	assert_false(ts_span_starts(ts_span_str("a"), ts_span_str("ab")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_little_endian_both_ways),
		cmocka_unit_test(test_big_endian_both_ways),
		cmocka_unit_test(test_growth_keeps_what_is_there),
		cmocka_unit_test(test_ceiling),
		cmocka_unit_test(test_first_failure_is_remembered),
		cmocka_unit_test(test_a_lack_of_memory_is_passed_on),
		cmocka_unit_test(test_printf),
		cmocka_unit_test(test_nth_allocation_fails),
		cmocka_unit_test(test_sizes_are_checked),
		cmocka_unit_test(test_spans),
	};

	return cmocka_run_group_tests_name("buf", tests, NULL, NULL);
}
