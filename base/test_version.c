#include "base/version.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Each is older than the next. */
static void orders(void **state)
{
	static const char *const versions[] = {"0.1.0",  "0.2.0~dev", "0.2.0",	  "0.2.9~dev+1a2b3c4d",
					     "0.2.10", "0.10.0",    "1.0.0~dev", "1.0.0"};
	enum { N = sizeof versions / sizeof versions[0] };

	(void)state;
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++) {
			int order = ts_version_order(ts_span_str(versions[i]), ts_span_str(versions[k]));

			assert_int_equal((order > 0) - (order < 0), (i > k) - (i < k));
		}
}

static void cannot_tell(void **state)
{
	static const char *const others[] = {"",      "0",	"0.2",	  "0.2.",	    "0.2.0~dev+1a2b3c4d",
					   "a.b.c", "0.2.0x", "0.2.-1", "1234567890.0.0"};

	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		assert_int_equal(ts_version_order(ts_span_str(others[i]), ts_span_str("0.2.0~dev+ffffffff")), 0);
		assert_int_equal(ts_version_order(ts_span_str("0.2.0~dev+ffffffff"), ts_span_str(others[i])), 0);
	}
}

/* Whoever builds this has a version that is newer than the first. */
static void ours(void **state)
{
	(void)state;
	assert_true(ts_version_order(ts_span_str(ts_version()), ts_span_str("0.1.0")) > 0);
	assert_true(strlen(ts_version()) < 64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders),
		cmocka_unit_test(cannot_tell),
		cmocka_unit_test(ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
