#include "base/object.h"

#include "base/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* The bytes are written by hand from the table in object.h: kind 7, version 2, words, one reference of 0x11 bytes,
 * one word. */
static const uint8_t sample[] = {
	't',  's',  'o',  'b',	7,    2,    1,	  0,	1,    0,    0,	  0,	0,    0,    0,	  0,	0x11, 0x11, 0x11,
	0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11,
	0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 5,	  6,	7,    8,    9,	  10,	11,   12,
};

static void test_bytes(void **unused)
{
	struct ts_buf buf = TS_BUF_INIT(4096);
	struct ts_id ref;

	(void)unused;
	memset(ref.bytes, 0x11, sizeof ref.bytes);
	ts_object_begin(&buf, 7, 2, TS_LAYOUT_WORDS, &ref, 1);
	ts_buf_bytes(&buf, "\5\6\7\10\11\12\13\14", 8);
	assert_int_equal(buf.len, sizeof sample);
	assert_memory_equal(buf.data, sample, sizeof sample);
	ts_buf_finish(&buf);
}

static void test_parse(void **unused)
{
	struct ts_object object;
	struct ts_error err;
	struct ts_id ref;

	(void)unused;
	assert_int_equal(ts_object_parse(ts_span_of(sample, sizeof sample), &object, &err), TS_OK);
	assert_int_equal(object.kind, 7);
	assert_int_equal(object.version, 2);
	assert_int_equal(object.layout, TS_LAYOUT_WORDS);
	assert_int_equal(object.nrefs, 1);
	assert_ptr_equal(object.refs.data, sample + 16);
	assert_int_equal(object.payload.len, 8);
	assert_ptr_equal(object.payload.data, sample + 48);
	ref = ts_object_ref(&object, 0);
	assert_memory_equal(ref.bytes, sample + 16, TS_ID_BYTES);
}

static void refused(size_t at, uint8_t value, size_t len, const char *want)
{
	struct ts_object object = {.kind = 99};
	struct ts_error err;
	uint8_t *bytes = malloc(len ? len : 1); /* the block has exactly the object's size, so that the sanitizer sees a read past it */

	assert_non_null(bytes);
	memcpy(bytes, sample, len);
	if (at < len)
		bytes[at] = value;
	assert_int_equal(ts_object_parse(ts_span_of(bytes, len), &object, &err), TS_DAMAGED);
	assert_non_null(strstr(err.text, want));
	assert_int_equal(object.kind, 99);
	free(bytes);
}

static void test_damage_is_told_with_its_byte(void **unused)
{
	(void)unused;
	for (size_t len = 0; len < 16; len++)
		refused(len, 0, len, "byte 0:");
	for (size_t at = 0; at < 4; at++)
		refused(at, 'X', sizeof sample, "byte 0:");
	refused(6, 2, sizeof sample, "byte 6: the layout 2 is not known");
	refused(7, 1, sizeof sample, "byte 7:");
	for (size_t at = 12; at < 16; at++)
		refused(at, 1, sizeof sample, "byte 12:");
	refused(8, 2, sizeof sample, "byte 8: 2 references do not fit in 56 bytes");
	refused(11, 0xFF, sizeof sample, "byte 8:");
	refused(99, 0, 47, "byte 8:");
	refused(99, 0, 55, "byte 48: a payload of words has 7 bytes");
}

static void test_size_is_limited(void **unused)
{
	uint8_t *bytes = calloc(1, TS_OBJECT_MAX + 1);
	struct ts_object object;
	struct ts_error err;

	(void)unused;
	assert_non_null(bytes);
	memcpy(bytes, "tsob\1\1", 6);
	assert_int_equal(ts_object_parse(ts_span_of(bytes, TS_OBJECT_MAX), &object, &err), TS_OK);
	assert_int_equal(ts_object_parse(ts_span_of(bytes, TS_OBJECT_MAX + 1), &object, &err), TS_TOO_LARGE);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_damage_is_told_with_its_byte),
		cmocka_unit_test(test_size_is_limited),
	};

	return cmocka_run_group_tests_name("object", tests, NULL, NULL);
}
