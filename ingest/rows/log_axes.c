#include "ingest/rows/log_axes.h"

#include "base/text.h"

/* The most certain first. */
#define ROW(name, global, vague)                                                                                                       \
	{                                                                                                                              \
		name, sizeof name - 1, global, vague                                                                                   \
	}

static const struct {
	const char *name;
	size_t len;
	bool global, vague;
} table[] = {
	ROW("step", false, false),
	ROW("global_step", true, false),
	ROW("_step", false, false),
	ROW("trainer_global_step", true, false), /* Lightning */
	ROW("train_step", false, false),
	ROW("train_global_step", true, false), /* Hugging Face in W&B */
	ROW("current_steps", true, false),     /* LLaMA-Factory */
	ROW("current_step", true, false),
	ROW("global_step_max_steps", true, false), /* ms-swift: "601/2161" */
	ROW("iteration", false, false),
	ROW("iter", false, false),
	ROW("steps", false, false),
	ROW("iterations", false, false),
	ROW("iters", false, false),
	ROW("it", false, false),
	ROW("num_update", false, false),
	ROW("num_updates", false, false), /* fairseq */
	ROW("update", false, false),
	ROW("training_iteration", false, false),  /* Ray */
	ROW("total_timesteps", true, false),	  /* Stable-Baselines3 */
	ROW("time_total_timesteps", true, false), /* Stable-Baselines3 in CSV */
	ROW("batch", false, true),
	ROW("minibatch", false, true), /* CNTK */
	ROW("episode", false, true),
	ROW("generation", false, true), /* of evolution */
	ROW("round", false, true),	/* of federated learning, and of boosting */
	ROW("epoch", false, false),
};

static bool fold_is(struct ts_span name, const char *want)
{
	for (size_t i = 0; i < name.len; i++) {
		uint8_t c = name.data[i];

		if (c >= 'A' && c <= 'Z')
			c |= 32;
		if ((c == '-' || c == ' ' || c == '/' || c == '.' ? '_' : c) != (uint8_t)want[i])
			return false;
	}
	return true;
}

size_t ts_log_axis_rank(struct ts_span name)
{
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (name.len == table[i].len && fold_is(name, table[i].name))
			return i;
	return TS_LOG_AXIS_NONE;
}

bool ts_log_axis_tells(struct ts_span name)
{
	return ts_log_rank_tells(ts_log_axis_rank(name));
}

bool ts_log_rank_tells(size_t rank)
{
	return rank < sizeof table / sizeof table[0] && !table[rank].vague;
}

bool ts_log_axis_is_global(struct ts_span name)
{
	size_t rank = ts_log_axis_rank(name);

	return rank != TS_LOG_AXIS_NONE && table[rank].global;
}

static size_t digits_at(struct ts_span text, size_t at)
{
	size_t n = 0;

	while (at + n < text.len && ts_is_digit(text.data[at + n]))
		n++;
	return n;
}

static size_t spaces_at(struct ts_span text, size_t at)
{
	size_t n = 0;

	while (at + n < text.len && text.data[at + n] == ' ')
		n++;
	return n;
}

size_t ts_log_fraction(struct ts_span text)
{
	size_t first = digits_at(text, 0), at = first + spaces_at(text, first), second;

	if (!first || at >= text.len || text.data[at] != '/')
		return 0;
	at += 1 + spaces_at(text, at + 1);
	second = digits_at(text, at);
	return second && at + second == text.len ? first : 0;
}
