/* Checks machine_compare.h by rows written by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/machine/machine_compare.h"
#include "analysis/rules/test_rows.h"

#define OBSERVED "machine/observations/count = 30; "
#define GPU(k, busy, limit, clock)                                                                                                     \
	"machine/gpu " k "/busy_ratio = " busy "; machine/gpu " k "/power_limit_w = " limit "; machine/gpu " k "/clock_mhz = " clock   \
	"; "

static void says(const char *run, const char *against, const char *expected)
{
	struct ts_measures a = {.n = 0}, b = {.n = 0};
	struct ts_arena arena;
	struct ts_error err;
	struct ts_span said;

	ts_arena_init(&arena, 0);
	test_rows(&a, &arena, run);
	test_rows(&b, &arena, against);
	assert_int_equal(ts_machine_compare(&a, &b, &arena, &said, &err), TS_OK);
	if (!ts_span_is(said, expected))
		fail_msg("says '%.*s', expected '%s'", TS_SPAN_ARG(said), expected);
	ts_arena_finish(&arena);
}

static void test_gpus(void **unused)
{
	(void)unused;
	/* GPU 2 idles, so that its limit is nobody's. */
	says(OBSERVED GPU("0", "0.9", "400", "1400") GPU("1", "0.9", "300", "1100") GPU("2", "0.1", "100", "200"),
	     OBSERVED GPU("0", "0.9", "400", "1390"),
	     "limit of power of GPUs 300 W against 400 W; clock of GPUs at work 1100 MHz against 1390 MHz");
	says(OBSERVED GPU("0", "0.9", "393", "1400"), OBSERVED GPU("0", "0.9", "400", "1465"), ""); /* 1.75 % and 4.4 % */
	says(OBSERVED GPU("0", "0.9", "300", "1400"), OBSERVED, "");				    /* not known is no difference */
}

static void test_machine(void **unused)
{
	(void)unused;
	says(OBSERVED "machine/cores/stolen_ratio = 0.12; machine/cores/allowed = 4",
	     OBSERVED "machine/cores/stolen_ratio = 0; machine/cores/allowed = 8",
	     "cores that may be used 4 against 8; steal 12 % against 0 %");
	says(OBSERVED "machine/cores/stolen_ratio = 0.029", OBSERVED "machine/cores/stolen_ratio = 0", "");
	says("machine/observations/count = 29; machine/cores/allowed = 4", OBSERVED "machine/cores/allowed = 8", "");
	says("", OBSERVED "machine/cores/allowed = 8", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_gpus), cmocka_unit_test(test_machine)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
