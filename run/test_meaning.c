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
		{"scalars.Train/Cost", TS_MEANS_OBJECTIVE},
		{"scalars.costume", TS_MEANS_NOTHING},
		{"scalars.batch_cost", TS_MEANS_NOTHING},
		{"scalars.avg_reader_cost", TS_MEANS_NOTHING},
		{"scalars.api_cost", TS_MEANS_NOTHING},
		{"scalars.total_cost", TS_MEANS_NOTHING},
		{"scalars.CTCLoss", TS_MEANS_LOSS},
		{"scalars.loss_value", TS_MEANS_LOSS},
		{"scalars.loss_val", TS_MEANS_EVAL},
		{"scalars.loss/validation", TS_MEANS_EVAL},
		{"scalars.Loss/test", TS_MEANS_EVAL},
		{"scalars.metrics/eval_loss", TS_MEANS_EVAL},
		{"scalars.x_test_loss", TS_MEANS_EVAL},
		{"scalars.testLoss", TS_MEANS_EVAL},
		{"scalars.reconnects", TS_MEANS_NOTHING},
		{"scalars.accuracy", TS_MEANS_NOTHING},
		{"scalars.dice_ce", TS_MEANS_OBJECTIVE},
		{"scalars.ce_dice", TS_MEANS_OBJECTIVE},
		{"scalars.DiceCE", TS_MEANS_OBJECTIVE},
		{"scalars.train/dice+focal", TS_MEANS_OBJECTIVE},
		{"scalars.focal_tversky", TS_MEANS_OBJECTIVE},
		{"scalars.val/ce_dice", TS_MEANS_EVAL},
		{"scalars.ce_dice_val", TS_MEANS_EVAL},
		{"scalars.dice", TS_MEANS_NOTHING},
		{"scalars.dice_iou", TS_MEANS_NOTHING},
		{"scalars.focal", TS_MEANS_NOTHING},
		{"scalars.focal_length", TS_MEANS_NOTHING},
		{"scalars.ce_weight", TS_MEANS_NOTHING},
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
	assert_int_equal(ts_role_of(ts_span_str("scalars.CTCLoss"), NULL), TS_ROLE_TRAJECTORY);
	assert_int_equal(ts_role_of(ts_span_str("scalars.cost_per_sec"), NULL), TS_ROLE_OBSERVATION);
	assert_int_equal(ts_role_of(ts_span_str("scalars.avg_reader_cost"), NULL), TS_ROLE_OBSERVATION);
	assert_int_equal(ts_role_of(ts_span_str("scalars.batch_cost"), NULL), TS_ROLE_UNKNOWN);
	assert_int_equal(ts_role_of(ts_span_str("scalars.train_cost"), NULL), TS_ROLE_TRAJECTORY);
}

static void test_ends(void **state)
{
	static const char *const losses[] = {"loss", "scalars.eval_loss", "scalars.CTCLoss", "LOSS"};
	static const char *const others[] = {"", "oss", "loss_scale", "scalars.losses", "scalars.cost"};

	(void)state;
	for (size_t i = 0; i < sizeof losses / sizeof losses[0]; i++)
		if (!ts_column_ends_as_loss(ts_span_str(losses[i])))
			fail_msg("%s", losses[i]);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (ts_column_ends_as_loss(ts_span_str(others[i])))
			fail_msg("%s", others[i]);
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
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_roles), cmocka_unit_test(test_ends),
					   cmocka_unit_test(test_long)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
