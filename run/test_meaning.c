/* test_meaning.c - names of columns and what they are to a training, as programs that people publish write them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/meaning.h"
#include "run/role.h"

static void test_names(void **state)
{
	static const struct {
		const char *name;
		enum ts_meaning meaning;
	} cases[] = {
		{"scalars.loss", TS_MEANS_LOSS},
		{"scalars.Train/Loss", TS_MEANS_LOSS},
		{"scalars.loss_mlm", TS_MEANS_LOSS},
		{"scalars.val_loss", TS_MEANS_EVAL},
		{"scalars.heldout/nll", TS_MEANS_EVAL},
		{"scalars.NLL", TS_MEANS_OBJECTIVE},
		{"scalars.neg_log_lik", TS_MEANS_OBJECTIVE},
		{"scalars.negative log likelihood", TS_MEANS_OBJECTIVE},
		{"scalars.train/recon", TS_MEANS_OBJECTIVE},
		{"scalars.hinge", TS_MEANS_OBJECTIVE},
		{"scalars.cost", TS_MEANS_OBJECTIVE},
		{"scalars.costume", TS_MEANS_NOTHING},
		{"scalars.reconnects", TS_MEANS_NOTHING},
		{"scalars.accuracy", TS_MEANS_NOTHING},
		{"scalars.grad_norm", TS_MEANS_GRAD_NORM},
		{"scalars.max_grad_norm", TS_MEANS_NOTHING},
		{"scalars.Optim/LR", TS_MEANS_RATE},
		{"scalars.loss_scale", TS_MEANS_NOTHING},
		{"scalars.amp/scale", TS_MEANS_NOTHING},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (ts_column_meaning(ts_span_str(cases[i].name)) != cases[i].meaning)
			fail_msg("%s", cases[i].name);
}

/* What is minimized is of the training, though no word of its name says so. */
static void test_roles(void **state)
{
	(void)state;
	assert_int_equal(ts_role_of(ts_span_str("scalars.neg_log_lik"), NULL), TS_ROLE_TRAJECTORY);
	assert_int_equal(ts_role_of(ts_span_str("scalars.recon"), NULL), TS_ROLE_TRAJECTORY);
	assert_int_equal(ts_role_of(ts_span_str("scalars.cost_per_sec"), NULL), TS_ROLE_OBSERVATION);
}

static void test_long(void **state)
{
	static uint8_t name[TS_PATH_MAX + 1];

	(void)state;
	memset(name, 'a', sizeof name);
	assert_int_equal(ts_column_meaning(ts_span_of(name, sizeof name)), TS_MEANS_NOTHING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_roles), cmocka_unit_test(test_long)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
