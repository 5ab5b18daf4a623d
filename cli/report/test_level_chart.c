/* Figures of levels: lines that fit, marks where changes are, odd values at the edge. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text.h"
#include "cli/report/level_chart.h"
#include "cli/report/report.h"

#include <math.h>

static struct ts_arena arena;
static struct ts_buf out;
static const struct ts_term plain;

static int setup(void **state)
{
	(void)state;
	ts_arena_init(&arena, 0);
	out = TS_BUF_INIT(1 << 20);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	ts_buf_finish(&out);
	ts_arena_finish(&arena);
	return 0;
}

static void chart(const struct ts_levels *levels, int width)
{
	ts_buf_reset(&out);
	ts_level_chart(levels, &plain, width, &arena, &out);
	ts_buf_char(&out, 0);
	assert_int_equal(out.failed, 0);
}

static void a_step(void **state)
{
	static const double values[] = {1, 1, 1, 1, 2, 2, 2, 2};
	static const struct ts_level items[] = {{.first = 0, .end = 4, .value = 1, .mark = "", .text = ""},
						{.first = 4, .end = 8, .value = 2, .mark = "A", .text = "t"}};
	static const struct ts_levels levels = {.values = values, .n = 8, .unit = TS_UNIT_NONE, .items = items, .n_items = 2,
						.first = "old", .last = "new"};

	(void)state;
	chart(&levels, 60);
	assert_string_equal((const char *)out.data, "    2 ┤            •──•──•──•──\n"
						    "      │            ┊\n"
						    "      │            ┊\n"
						    "      │            ┊\n"
						    "  1.5 ┤            ┊\n"
						    "      │            ┊\n"
						    "      │            ┊\n"
						    "      │            ┊\n"
						    "    1 ┤•──•──•──•──┊\n"
						    "                   A\n"
						    "       old                  new\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_step)};

	return cmocka_run_group_tests(tests, setup, teardown);
}
