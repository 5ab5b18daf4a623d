/* test_direction.c - the table of names that says which way a column is better. */
#include "run/direction.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static enum ts_direction of(const char *column)
{
	return ts_direction_of(ts_span_str(column));
}

static void knows_common_names(void **state)
{
	static const char *const down[] = {"scalars.loss", "loss", "scalars.train/loss", "scalars.val-loss", "scalars.eval.Loss",
					   "scalars.perplexity", "scalars.val_ppl", "scalars.error", "scalars.test/wer",
					   "scalars.vllm_vs_local_logprob_diff_mean", "scalars.training/rollout_probs_diff_mean",
					   "scalars.ce_dice", "scalars.DiceCE", "scalars.val/bce_iou"};
	static const char *const up[] = {"scalars.val_acc", "scalars.accuracy", "scalars.eval/f1", "scalars.f1_macro", "scalars.bleu",
					 "scalars.rouge-L", "scalars.reward", "scalars.env/episode_return",
					 "scalars.critic/rewards/mean", "scalars.mIoU", "scalars.val/dice"};

	(void)state;
	for (size_t i = 0; i < sizeof down / sizeof down[0]; i++)
		assert_int_equal(of(down[i]), TS_DIRECTION_DOWN);
	for (size_t i = 0; i < sizeof up / sizeof up[0]; i++)
		assert_int_equal(of(up[i]), TS_DIRECTION_UP);
}

static void does_not_guess(void **state)
{
	static const char *const unknown[] = {"scalars.lr", "scalars.grad_norm",  "timestamp",		    "phases.forward",
					      "scalars.x",  "scalars.loss_scale", "scalars.amp/loss-scale", "scalars.reward_std",
					      "memory.alloc", ""};

	(void)state;
	for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
		assert_int_equal(of(unknown[i]), TS_DIRECTION_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(knows_common_names), cmocka_unit_test(does_not_guess)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
