#include "run/direction.h"

#include "base/text.h"
#include "run/role.h"
#include "run/role_words.h"

struct rule {
	const char *pattern; /* a glob pattern that is matched against ts_column_leaf() */
	enum ts_direction direction;
};

/* The first rule that matches decides. What is no measure of success although its name looks like one comes first. */
static const struct rule rules[] = {
	{"loss_scale*", TS_DIRECTION_UNKNOWN}, /* of mixed precision */
	{"*_loss_scale*", TS_DIRECTION_UNKNOWN},
	{"loss_weight*", TS_DIRECTION_UNKNOWN},
	{"*_std", TS_DIRECTION_UNKNOWN}, /* the spread of a reward is no reward */
	{"*_norm", TS_DIRECTION_UNKNOWN},
	{"loss", TS_DIRECTION_DOWN},
	{"*_loss", TS_DIRECTION_DOWN},
	{"loss_*", TS_DIRECTION_DOWN},
	{"nll", TS_DIRECTION_DOWN},
	{"*_nll", TS_DIRECTION_DOWN},
	{"cross_entropy", TS_DIRECTION_DOWN},
	{"*_cross_entropy", TS_DIRECTION_DOWN},
	{"*crossentropy*", TS_DIRECTION_DOWN},
	{"cost", TS_DIRECTION_DOWN},
	{"*_cost", TS_DIRECTION_DOWN},
	{"neg_log*", TS_DIRECTION_DOWN},
	{"negative_log*", TS_DIRECTION_DOWN},
	{"xent", TS_DIRECTION_DOWN},
	{"*_xent", TS_DIRECTION_DOWN},
	{"bce", TS_DIRECTION_DOWN},
	{"*_bce", TS_DIRECTION_DOWN},
	{"logloss", TS_DIRECTION_DOWN},
	{"*_logloss", TS_DIRECTION_DOWN},
	{"deviance", TS_DIRECTION_DOWN},
	{"huber", TS_DIRECTION_DOWN},
	{"*_huber", TS_DIRECTION_DOWN},
	{"hinge", TS_DIRECTION_DOWN},
	{"*_hinge", TS_DIRECTION_DOWN},
	{"recon", TS_DIRECTION_DOWN},
	{"*_recon", TS_DIRECTION_DOWN},
	{"reconstruction", TS_DIRECTION_DOWN},
	{"*_reconstruction", TS_DIRECTION_DOWN},
	/* What rollout and trainer compute of the same tokens differs: verl, open-instruct, slime, TRL. */
	{"*mismatch*", TS_DIRECTION_DOWN},
	{"*logprob*diff*", TS_DIRECTION_DOWN},
	{"*log_prob*diff*", TS_DIRECTION_DOWN},
	{"*logp*diff*", TS_DIRECTION_DOWN},
	{"*probs_diff*", TS_DIRECTION_DOWN},
	{"perplexity", TS_DIRECTION_DOWN},
	{"*_perplexity", TS_DIRECTION_DOWN},
	{"ppl", TS_DIRECTION_DOWN},
	{"*_ppl", TS_DIRECTION_DOWN},
	{"bpb", TS_DIRECTION_DOWN},
	{"*_bpb", TS_DIRECTION_DOWN},
	{"bits_per_byte", TS_DIRECTION_DOWN},
	{"error", TS_DIRECTION_DOWN},
	{"*_error", TS_DIRECTION_DOWN},
	{"error_rate", TS_DIRECTION_DOWN},
	{"*_error_rate", TS_DIRECTION_DOWN},
	{"err", TS_DIRECTION_DOWN},
	{"*_err", TS_DIRECTION_DOWN},
	{"mse", TS_DIRECTION_DOWN},
	{"*_mse", TS_DIRECTION_DOWN},
	{"rmse", TS_DIRECTION_DOWN},
	{"*_rmse", TS_DIRECTION_DOWN},
	{"mae", TS_DIRECTION_DOWN},
	{"*_mae", TS_DIRECTION_DOWN},
	{"wer", TS_DIRECTION_DOWN},
	{"*_wer", TS_DIRECTION_DOWN},
	{"cer", TS_DIRECTION_DOWN},
	{"*_cer", TS_DIRECTION_DOWN},
	{"fid", TS_DIRECTION_DOWN},
	{"*_fid", TS_DIRECTION_DOWN},
	{"accuracy", TS_DIRECTION_UP},
	{"*_accuracy", TS_DIRECTION_UP},
	{"accuracy_*", TS_DIRECTION_UP},
	{"acc", TS_DIRECTION_UP},
	{"*_acc", TS_DIRECTION_UP},
	{"acc_*", TS_DIRECTION_UP}, /* acc_norm, acc_top5 */
	{"top1", TS_DIRECTION_UP},
	{"top5", TS_DIRECTION_UP},
	{"f1", TS_DIRECTION_UP},
	{"*_f1", TS_DIRECTION_UP},
	{"f1_*", TS_DIRECTION_UP},
	{"precision", TS_DIRECTION_UP},
	{"*_precision", TS_DIRECTION_UP},
	{"recall", TS_DIRECTION_UP},
	{"*_recall", TS_DIRECTION_UP},
	{"auc", TS_DIRECTION_UP},
	{"*_auc", TS_DIRECTION_UP},
	{"auroc", TS_DIRECTION_UP},
	{"*_auroc", TS_DIRECTION_UP},
	{"map", TS_DIRECTION_UP},
	{"*_map", TS_DIRECTION_UP},
	{"iou", TS_DIRECTION_UP},
	{"miou", TS_DIRECTION_UP},
	{"*_iou", TS_DIRECTION_UP},
	{"dice", TS_DIRECTION_UP},
	{"*_dice", TS_DIRECTION_UP},
	{"bleu", TS_DIRECTION_UP},
	{"*_bleu", TS_DIRECTION_UP},
	{"rouge*", TS_DIRECTION_UP},
	{"*_rouge*", TS_DIRECTION_UP},
	{"exact_match", TS_DIRECTION_UP},
	{"*_exact_match", TS_DIRECTION_UP},
	{"psnr", TS_DIRECTION_UP},
	{"*_psnr", TS_DIRECTION_UP},
	{"ssim", TS_DIRECTION_UP},
	{"*_ssim", TS_DIRECTION_UP},
	{"reward", TS_DIRECTION_UP},
	{"*_reward", TS_DIRECTION_UP},
	{"rewards", TS_DIRECTION_UP},
	{"*_rewards", TS_DIRECTION_UP},
	{"rewards_mean", TS_DIRECTION_UP},
	{"*_rewards_mean", TS_DIRECTION_UP}, /* critic/rewards/mean of verl */
	{"reward_mean", TS_DIRECTION_UP},
	{"*_reward_mean", TS_DIRECTION_UP},
	{"episode_return", TS_DIRECTION_UP},
	{"*_episode_return", TS_DIRECTION_UP},
	{"success_rate", TS_DIRECTION_UP},
	{"*_success_rate", TS_DIRECTION_UP},
	{"win_rate", TS_DIRECTION_UP},
	{"*_win_rate", TS_DIRECTION_UP},
};

enum ts_direction ts_direction_of(struct ts_span column)
{
	uint8_t room[TS_PATH_MAX];
	struct ts_span leaf = ts_column_leaf(column, room);
	bool elsewhere;

	if (ts_words_name_objective(ts_column_said(column), &elsewhere)) /* ce_dice is no score */
		return TS_DIRECTION_DOWN;
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
		if (ts_glob(ts_span_str(rules[i].pattern), leaf))
			return rules[i].direction;
	return TS_DIRECTION_UNKNOWN;
}
