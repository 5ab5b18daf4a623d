/* The checksum against the vectors of RFC 3720, and both ways to compute it against one another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "record/crc32c.h"

static void crc32c_agrees_with_its_vectors(void **state)
{
	uint8_t zeros[32] = {0}, ones[32], up[32];

	(void)state;
	memset(ones, 0xff, sizeof ones);
	for (uint8_t i = 0; i < 32; i++)
		up[i] = i;
	/* The value is from RFC 3720, B.4. */
	assert_int_equal(ts_crc32c(0, zeros, 32), 0x8a9136aa);
	assert_int_equal(ts_crc32c(0, ones, 32), 0x62a8ab43);
	assert_int_equal(ts_crc32c(0, up, 32), 0x46dd794e);
	assert_int_equal(ts_crc32c_portable(0, up, 32), 0x46dd794e);
	for (size_t n = 0; n < 32; n++) {
		assert_int_equal(ts_crc32c(0, up, n), ts_crc32c_portable(0, up, n));
		assert_int_equal(ts_crc32c(ts_crc32c(0, up, n), up + n, 32 - n), 0x46dd794e);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(crc32c_agrees_with_its_vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
