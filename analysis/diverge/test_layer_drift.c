/* Which names are of layers, which layers are listed, and how they are counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/diverge/layer_drift.h"

#include <math.h>

enum { CEILING = 16 << 20 };

static struct ts_arena arena;
static struct ts_error err;

static int open_arena(void **state)
{
	(void)state;
	ts_arena_init(&arena, CEILING);
	return 0;
}

static int close_arena(void **state)
{
	(void)state;
	ts_arena_finish(&arena);
	return 0;
}

static void names(void **state)
{
	static const struct {
		const char *column, *layer, *what; /* NULL: of no layer */
	} rows[] = {
		{"scalars.grad_norm/layers\\.0\\.weight", "layers.0.weight", "grad_norm"},
		{"scalars.layers\\.3\\.mlp/act_rms", "layers.3.mlp", "act_rms"},
		{"scalars.gradients/h\\.1\\.attn", "h.1.attn", "gradients"},
		{"scalars.train/grad_norm/embed", "embed", "grad_norm"},
		{"scalars.grad_norm/0/weight", "0/weight", "grad_norm"},
		{"scalars.grad_2\\.0_norm/fc1", "fc1", "grad_2.0_norm"},
		{"scalars.param_norm\\.layers\\.0", "layers.0", "param_norm"},
		{"scalars.layers\\.0\\.grad_norm", "layers.0", "grad_norm"},
		{"scalars.grad_norm_layer_3", "layer_3", "grad_norm"},
		{"scalars.layer3_grad_norm", "layer3", "grad_norm"},
		{"activations.block.2", "block/2", "activations"},
		{"scalars.Grad-Norm/Encoder", "Encoder", "Grad-Norm"},
		{"scalars.grad_norm", NULL, NULL},
		{"scalars.train/grad_norm", NULL, NULL},
		{"scalars.grad_norm/total", NULL, NULL},
		{"scalars.grad_norm/max", NULL, NULL},
		{"scalars.grad_norm_clipped", NULL, NULL},
		{"scalars.loss", NULL, NULL},
		{"scalars.layers/fc1/forward_ms", NULL, NULL},
		{"scalars.top_5", NULL, NULL},
		{"scalars.lr/group_0", NULL, NULL},
		{"scalars.weight_decay_0", NULL, NULL},
		{"scalars.norm_2", NULL, NULL},
		{"scalars.", NULL, NULL},
		{"scalars.///", NULL, NULL},
		{"scalars.grad_norm///", NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct ts_span layer = {NULL, 0}, what = {NULL, 0};
		bool is = ts_layer_of_series(ts_span_str(rows[i].column), &arena, &layer, &what);

		if (is != (rows[i].layer != NULL) || (is && (!ts_span_is(layer, rows[i].layer) || !ts_span_is(what, rows[i].what))))
			fail_msg("%s: %s, '%.*s' of '%.*s'", rows[i].column, is ? "of a layer" : "of none", TS_SPAN_ARG(what),
				 TS_SPAN_ARG(layer));
	}
}

/* visible: the step, or -1 for a difference that is none beyond writing, -2 for none at all. */
static void take(struct ts_layer_drift *d, const char *column, int64_t visible, double greatest)
{
	struct ts_series_row row = {.name = ts_span_str(column), .type = TS_COLUMN_F64, .state = TS_SERIES_SAME};

	if (visible != -2) {
		row.state = TS_SERIES_PARTS;
		row.first_step = visible > 0 ? visible - 1 : 0;
		row.gap = (struct ts_gap){.known = true, .visible = visible >= 0, .visible_step = visible, .greatest = greatest,
					  .greatest_step = 90, .saturation = greatest / 2};
	}
	assert_int_equal(ts_layer_drift_take(d, &row, &arena, &err), TS_OK);
}

static void first_and_most(void **state)
{
	static const char *const series[] = {"scalars.grad_norm/h0", "scalars.grad_norm/h1", "scalars.grad_norm/h2",
					     "scalars.grad_norm/h3", "scalars.grad_norm/h4", "scalars.grad_norm/h5",
					     "scalars.grad_norm/h6", "scalars.grad_norm/h7"};
	struct ts_layer_drift d = {.n = 0};

	(void)state;
	take(&d, series[0], 20, 0.5);
	take(&d, series[1], 10, 0.1);
	take(&d, series[2], 10, 0.2);
	take(&d, series[3], 30, 0.3);
	take(&d, series[4], 40, 0.4);
	take(&d, series[5], 60, 0.9);
	take(&d, series[6], -1, 1e-8);
	take(&d, series[7], -2, 0);
	take(&d, "scalars.act_rms/h1", 5, 0.01); /* the number of layer 1 that differs first */
	take(&d, "scalars.act_rms/h2", -2, 0);
	take(&d, "scalars.param_norm/alone", 1, 1); /* of one layer only */
	take(&d, "scalars.loss", 1, 1);
	assert_int_equal(ts_layer_drift_finish(&d, &arena, &err), TS_OK);
	assert_true(d.layers == 8 && d.visible == 6 && d.within == 1);
	assert_int_equal(d.n, TS_DRIFTS_SHOWN);
	assert_true(ts_span_is(d.rows[0].layer, "h1") && ts_span_is(d.rows[0].what, "act_rms") && d.rows[0].visible_step == 5);
	assert_true(ts_span_is(d.rows[1].layer, "h2") && d.rows[1].first_step == 9 && d.rows[1].end == 0.1);
	assert_true(ts_span_is(d.rows[2].layer, "h0"));
	assert_true(ts_span_is(d.rows[3].layer, "h3"));
	assert_true(ts_span_is(d.rows[4].layer, "h5") && d.rows[4].greatest == 0.9); /* in place of h4, which differs before it */
}

static void what_is_passed_over(void **state)
{
	struct ts_series_row rows[] = {
		{.name = ts_span_str("scalars.grad_norm/h0"), .type = TS_COLUMN_F64, .state = TS_SERIES_ONLY_A},
		{.name = ts_span_str("scalars.grad_norm/h1"), .type = TS_COLUMN_TEXT, .state = TS_SERIES_PARTS},
		{.name = ts_span_str("scalars.grad_norm/h2"), .type = TS_COLUMN_F64, .state = TS_SERIES_PARTS,
		 .role = TS_ROLE_OBSERVATION},
		{.name = ts_span_str("scalars.grad_norm/h3"), .type = TS_COLUMN_F64, .state = TS_SERIES_DISJOINT},
	};
	struct ts_layer_drift d = {.n = 0};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		assert_int_equal(ts_layer_drift_take(&d, &rows[i], &arena, &err), TS_OK);
	assert_int_equal(ts_layer_drift_finish(&d, &arena, &err), TS_OK);
	assert_true(d.n == 0 && d.layers == 0 && d.visible == 0);
	/* Layers that agree are counted, and not listed. */
	take(&d, "scalars.grad_norm/h0", -2, 0);
	take(&d, "scalars.grad_norm/h1", -2, 0);
	assert_int_equal(ts_layer_drift_finish(&d, &arena, &err), TS_OK);
	assert_true(d.n == 0 && d.layers == 2 && d.visible == 0 && d.within == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(first_and_most, open_arena, close_arena),
		cmocka_unit_test_setup_teardown(what_is_passed_over, open_arena, close_arena),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
