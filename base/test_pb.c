/* pb.h against bytes written by hand from the encoding's specification. */
#include "base/number.h"
#include "base/pb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void fields_are_read_in_order(void **state)
{
	/* Field 1 is varint 150, field 2 is "testing", field 3 is double 0.25, field 4 is float -2. */
	static const uint8_t in[] = {0x08, 0x96, 0x01, 0x12, 0x07, 't', 'e', 's', 't', 'i', 'n', 'g',
				     0x19, 0, 0, 0, 0, 0, 0, 0xd0, 0x3f, 0x25, 0, 0, 0, 0xc0};
	struct ts_pb pb = ts_pb_of(ts_span_of(in, sizeof in));
	struct ts_pb_field f;

	(void)state;
	assert_true(ts_pb_next(&pb, &f) && f.number == 1 && f.wire == TS_PB_VARINT && f.value == 150);
	assert_true(ts_pb_next(&pb, &f) && f.number == 2 && ts_span_is(f.bytes, "testing"));
	assert_true(ts_pb_next(&pb, &f) && f.number == 3 && ts_bits_double(f.value) == 0.25);
	assert_true(ts_pb_next(&pb, &f) && f.number == 4 && ts_pb_float(f.value) == -2);
	assert_false(ts_pb_next(&pb, &f));
	assert_false(pb.broken);
}

static void what_does_not_fit_is_broken(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} bad[] = {
		{"\x08", 1},		 /* a key without its value */
		{"\x08\x96", 2},	 /* a varint that does not end */
		{"\x12\x07test", 6},	 /* fewer bytes than the length says */
		{"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11}, /* a length of 2^64 - 1 */
		{"\x19\0\0\0", 4},	 /* half a double */
		{"\x0b\x0c", 2},	 /* a group */
		{"\x00\x01", 2},	 /* field 0 */
		{"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11}, /* a varint of 65 bits */
	};

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct ts_pb pb = ts_pb_of(ts_span_of(bad[i].bytes, bad[i].len));
		struct ts_pb_field f;

		assert_false(ts_pb_next(&pb, &f));
		assert_true(pb.broken);
		assert_int_equal(pb.at, 0);
		assert_false(ts_pb_next(&pb, &f));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_read_in_order),
		cmocka_unit_test(what_does_not_fit_is_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
