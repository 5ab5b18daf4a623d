/* The layers that take most time: medians that stand here, and shares by arithmetic. */
#include "analysis/rank/layers.h"

#include "analysis/answer/test_seen.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/test_arena.h"

static struct ts_layer layer(const char *name, double forward, double backward)
{
	return (struct ts_layer){.name = ts_span_str(name), .forward_s = forward, .backward_s = backward, .steps = 4};
}

static double value(const struct ts_measures *m, enum ts_measure_name what, const char *of)
{
	double found = -1;

	return ts_measure_value(m, what, ts_span_str(of), &found) ? found : -1;
}

static void test_five_that_take_most(void **state)
{
	struct ts_layer l[] = {layer("a", 1, 1), layer("b", 4, 6),   layer("c", 3, NAN),    layer("d", NAN, 4),
			       layer("e", 0, 1), layer("f", 30, 50), layer("g", 0.25, 0.25)}; /* all: 100.5 */
	struct ts_measures m = {.n = 0};
	struct ts_error err;

	(void)state;
	assert_int_equal(ts_layers_rows(l, 7, &arena, &m, &err), TS_OK);
	assert_true(test_seen(&m));
	assert_true(value(&m, TS_M_LAYERS_COUNT, "") == 7);
	assert_true(value(&m, TS_M_LAYER_TIME, "layer f") == 80);
	assert_true(fabs(value(&m, TS_M_LAYER_SHARE, "layer f") - 80 / 100.5) < 1e-12);
	assert_true(value(&m, TS_M_LAYER_FORWARD, "layer b") == 4 && value(&m, TS_M_LAYER_BACKWARD, "layer b") == 6);
	assert_true(value(&m, TS_M_LAYER_TIME, "layer c") == 3 && value(&m, TS_M_LAYER_BACKWARD, "layer c") == -1);
	assert_true(value(&m, TS_M_LAYER_TIME, "layer a") == 2 && value(&m, TS_M_LAYER_STEPS, "layer a") == 4);
	assert_true(value(&m, TS_M_LAYER_TIME, "layer e") == -1 && value(&m, TS_M_LAYER_TIME, "layer g") == -1);
}

static void test_no_layers(void **state)
{
	struct ts_measures m = {.n = 0};
	struct ts_error err;

	(void)state;
	assert_int_equal(ts_layers_rows(NULL, 0, &arena, &m, &err), TS_OK);
	assert_int_equal(m.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_five_that_take_most, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_layers, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
