#include "run/meaning.h"

#include "base/text.h"
#include "run/role_words.h"

struct row {
	const char *glob;
	enum ts_meaning meaning;
};

/* Globs are matched with the folded name without "scalars."; the first match counts. */
static const struct row table[] = {
	{"eval*", TS_MEANS_EVAL},
	{"val_*", TS_MEANS_EVAL},
	{"val.*", TS_MEANS_EVAL},
	{"valid*", TS_MEANS_EVAL},
	{"test_*", TS_MEANS_EVAL},
	{"test.*", TS_MEANS_EVAL},
	{"*_val_loss", TS_MEANS_EVAL},
	{"*_valid_loss", TS_MEANS_EVAL},
	{"*_validation_loss", TS_MEANS_EVAL},
	{"*_eval_loss", TS_MEANS_EVAL},
	{"*_test_loss", TS_MEANS_EVAL},
	{"loss_val", TS_MEANS_EVAL},
	{"loss_val_*", TS_MEANS_EVAL},
	{"loss_valid*", TS_MEANS_EVAL},
	{"loss_eval*", TS_MEANS_EVAL},
	{"loss_test*", TS_MEANS_EVAL},
	{"valloss", TS_MEANS_EVAL},
	{"testloss", TS_MEANS_EVAL},
	{"heldout*", TS_MEANS_EVAL},
	{"held_out*", TS_MEANS_EVAL},
	{"holdout*", TS_MEANS_EVAL},
	{"dev_*", TS_MEANS_EVAL},
	{"dev.*", TS_MEANS_EVAL},
	{"*grad*norm*", TS_MEANS_GRAD_NORM},
	{"*norm*grad*", TS_MEANS_GRAD_NORM},
	{"*grad*l2*", TS_MEANS_GRAD_NORM},
	{"gnorm", TS_MEANS_GRAD_NORM},
	{"*_gnorm", TS_MEANS_GRAD_NORM},
	{"lr", TS_MEANS_RATE},
	{"*_lr", TS_MEANS_RATE},
	{"lr_*", TS_MEANS_RATE},
	{"lr.*", TS_MEANS_RATE},
	{"*learning_rate*", TS_MEANS_RATE},
	{"step_size", TS_MEANS_RATE},
	{"*_step_size", TS_MEANS_RATE},
	{"stepsize", TS_MEANS_RATE},
	{"loss", TS_MEANS_LOSS},
	{"*loss", TS_MEANS_LOSS}, /* CTCLoss */
	{"loss_*", TS_MEANS_LOSS},
	{"objective", TS_MEANS_OBJECTIVE},
	{"*_objective", TS_MEANS_OBJECTIVE},
	{"objf", TS_MEANS_OBJECTIVE}, /* Kaldi */
	{"criterion", TS_MEANS_OBJECTIVE},
	{"*_criterion", TS_MEANS_OBJECTIVE},
	/* No other cost: batch_cost and reader_cost are times (PaddlePaddle), and api_cost is money. */
	{"cost", TS_MEANS_OBJECTIVE},
	{"train_cost", TS_MEANS_OBJECTIVE},
	{"training_cost", TS_MEANS_OBJECTIVE},
	{"nll", TS_MEANS_OBJECTIVE},
	{"*_nll", TS_MEANS_OBJECTIVE},
	{"neg_log*", TS_MEANS_OBJECTIVE},
	{"negative_log*", TS_MEANS_OBJECTIVE},
	{"logloss", TS_MEANS_OBJECTIVE},
	{"*_logloss", TS_MEANS_OBJECTIVE},
	{"deviance", TS_MEANS_OBJECTIVE},
	{"perplexity", TS_MEANS_OBJECTIVE},
	{"*_perplexity", TS_MEANS_OBJECTIVE},
	{"ppl", TS_MEANS_OBJECTIVE},
	{"*_ppl", TS_MEANS_OBJECTIVE},
	{"xent", TS_MEANS_OBJECTIVE},
	{"*_xent", TS_MEANS_OBJECTIVE},
	{"ce", TS_MEANS_OBJECTIVE},
	{"*_ce", TS_MEANS_OBJECTIVE},
	{"bce", TS_MEANS_OBJECTIVE},
	{"*_bce", TS_MEANS_OBJECTIVE},
	{"*cross_entropy*", TS_MEANS_OBJECTIVE},
	{"*crossentropy*", TS_MEANS_OBJECTIVE},
	{"mse", TS_MEANS_OBJECTIVE},
	{"*_mse", TS_MEANS_OBJECTIVE},
	{"mae", TS_MEANS_OBJECTIVE},
	{"*_mae", TS_MEANS_OBJECTIVE},
	{"rmse", TS_MEANS_OBJECTIVE},
	{"*_rmse", TS_MEANS_OBJECTIVE},
	{"huber", TS_MEANS_OBJECTIVE},
	{"*_huber", TS_MEANS_OBJECTIVE},
	{"hinge", TS_MEANS_OBJECTIVE},
	{"*_hinge", TS_MEANS_OBJECTIVE},
	{"recon", TS_MEANS_OBJECTIVE},
	{"*_recon", TS_MEANS_OBJECTIVE},
	{"recon_err*", TS_MEANS_OBJECTIVE},
	{"reconstruction", TS_MEANS_OBJECTIVE},
	{"*_reconstruction", TS_MEANS_OBJECTIVE},
	{"reconstruction_err*", TS_MEANS_OBJECTIVE},
};

/* A norm to which gradients are clipped is set, and no norm of theirs. */
static bool is_limit(struct ts_span name)
{
	static const char *const globs[] = {"*max_*", "*_max", "*clip*", "*limit*", "*thresh*", "*target*"};

	for (size_t i = 0; i < sizeof globs / sizeof globs[0]; i++)
		if (ts_glob(ts_span_str(globs[i]), name))
			return true;
	return false;
}

struct ts_span ts_column_folded(struct ts_span name, uint8_t room[TS_PATH_MAX])
{
	if (name.len > TS_PATH_MAX)
		return ts_span_of(room, 0);
	for (size_t i = 0; i < name.len; i++) {
		uint8_t c = name.data[i];

		room[i] = c >= 'A' && c <= 'Z' ? (uint8_t)(c | 32) : (c == '-' || c == '/' || c == ' ' ? '_' : c);
	}
	return ts_span_of(room, name.len);
}

bool ts_column_ends_as_loss(struct ts_span column)
{
	static const char word[] = "loss";
	size_t n = strlen(word);

	for (size_t i = 0; column.len >= n && i < n; i++)
		if ((column.data[column.len - n + i] | 32) != word[i])
			return false;
	return column.len >= n;
}

enum ts_meaning ts_column_meaning(struct ts_span column)
{
	struct ts_span said = column, name;
	uint8_t room[TS_PATH_MAX];
	bool elsewhere;

	(void)ts_span_skip(&said, "scalars.");
	if (ts_words_name_loss_scale(said))
		return TS_MEANS_NOTHING;
	name = ts_column_folded(said, room);
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (ts_glob(ts_span_str(table[i].glob), name))
			return table[i].meaning == TS_MEANS_GRAD_NORM && is_limit(name) ? TS_MEANS_NOTHING : table[i].meaning;
	if (!ts_words_name_objective(said, &elsewhere))
		return TS_MEANS_NOTHING;
	return elsewhere ? TS_MEANS_EVAL : TS_MEANS_OBJECTIVE;
}
