/* setting_names.c - words of settings. The last word that is known decides, because it is the noun: alpha_note is a note, note_alpha is
 * an alpha; but what is about an evaluation or a log stays that. A word of units or of kinds decides nothing.
 *
 * The words were mended by half of the names in tests/quality/setting_names.inc, which are marked there; the rates that count are those
 * of the other half. */
#include "analysis/diverge/setting_names.h"

enum { WORD = 24 };

/* What an evaluation, a log, a file or a profile is about, whatever the other words say: eval_batch_size, save_precision. */
static const char aside[] =
	" aim checkpointing clearml comet debug display dump eval evals evaluate evaluation evaluator evaluators export hub"
	" inference log logged logger loggers logging logs metrics mlflow monitor monitoring neptune offload offloading predict"
	" prefetch print printing prof profile profiler profiling report reporting sanity save saved saves saving show telemetry"
	" tensorboard test tests tqdm upload val validate validation video vis visualization visualize visualizer viz wandb ";

/* Nouns of what is computed. */
static const char acting[] =
	" accum accumulate accumulation act activation adam adv advantage alibi alpha amp amsgrad anchor anneal arch attention"
	" attn aug augment augmentation augments aux backbone balance batch beta betas bf bias bits block blur bptt cap caption"
	" causal center channel channels class classes clip clipping cliprange coef coeff coefficient compile conv convs"
	" cooldown corrupt corruption"
	" crop crops cudnn curriculum cutmix cutout damping data dataset datasets decay decays depth determinism"
	" deterministic difficulty dilation dim dims discount distill drop dropout droppath dtype early ema embd embed embedding"
	" entropy env envs episodes epoch epochs eps epsilon expert experts factor features ffn flash flip focal fp fraction"
	" freeze frozen fuse fused gae gain gamma gate gated gating generation generations grad gradient groups head heads"
	" hidden horizon huber init inner instance interpolation iou jitter kernel keypoint keypoints kl kv lam lambda layer"
	" layernorm layers length lora loss losses lr lrf margin mask masking minibatches mix mixup mlp model momentum mosaic mu"
	" mult multiplier negative negatives nesterov noise norm normalization normalize norms offset optim"
	" optimizer order outer packed packing pad padding patch penalty perturb perturbation pixel policies policy pool pooler"
	" pooling positive power precision pretrained prob probability prompt prune quant quantization quantize query radius"
	" rank rate ratio ratios reduction reg regularization repeats repetition rescale residual resize resolution reuse reward"
	" rewards rho rms rollout rollouts rope rotary rotate rotation rounding router sample sampler samples sampling scale"
	" scaler scaling schedule scheduler schedulers sdpa seed separator seq sequence shift shuffle sigma skip slope smooth"
	" smoothing soft softcap sparsity split std stem stride sum swish sync target tau teacher temp temperature template text"
	" tf theta thresh threshold tie tied timestep timesteps tokenizer topk train training transform trunc truncate"
	" truncation unfreeze update updates vocab warm warmup wd weight weighting weights width window xformers zero zloss ";

/* Nouns of what is not. */
static const char idle[] =
	" account address alert alerts annotation artifact artifacts author backup banner bar bins cache callback callbacks"
	" checkpoint checkpoints cleanup cluster colors colour comment console contact credentials csv dashboard date"
	" description disk doc docs echo email endpoint entity experiment figure font group heartbeat hist histogram history"
	" host hostname html job keep line link machine mail message metadata note notes notify org organization output owner"
	" password pin plot plots port priority private progress project purge queue quiet reason refresh region repo restarts"
	" results retention retries retry revision root run safetensors server session shutdown slack slurm socket stamp status"
	" stdout storage suffix summary tag tags team theme ticket timeout timestamp tool track tracker tracking user username"
	" uuid verbose verbosity visible wait watchdog webhook worker workers workspace ";

/* They decide where no noun is known: max_steps acts, log_steps does not. */
static const char amounts[] =
	" iter iteration iterations iters period size sizes steps ";

/* The same: dataset_name is a dataset, output_dir is a place. */
static const char handles[] =
	" dir directory every file filename files folder freq frequency id interval name names node nodes partition path paths"
	" prefix title uri url ";

/* words: each between two blanks. */
static bool is_one_of(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = strstr(words, word); at; at = strstr(at + 1, word))
		if (at[-1] == ' ' && at[len] == ' ')
			return true;
	return false;
}

/* The last key of an escaped path, without indexes behind it. */
static struct ts_span last_key(struct ts_span path)
{
	size_t at = 0;

	while (path.len && path.data[path.len - 1] == ']') {
		while (path.len && path.data[path.len - 1] != '[')
			path.len--;
		path.len -= path.len > 0;
	}
	for (size_t i = 0; i < path.len; i++) {
		if (path.data[i] == '\\')
			i++;
		else if (path.data[i] == '.')
			at = i + 1;
	}
	return ts_span_of(path.data + at, path.len - at);
}

static bool is_letter(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_capital(uint8_t c)
{
	return c >= 'A' && c <= 'Z';
}

/* Takes the next word, in lower case, cut off at WORD - 1 letters; false at the end. */
static bool next_word(struct ts_span key, size_t *at, char word[WORD])
{
	size_t n = 0;

	while (*at < key.len && !is_letter(key.data[*at]))
		++*at;
	while (*at < key.len && is_letter(key.data[*at])) {
		uint8_t c = key.data[*at];

		if (n && is_capital(c) && !is_capital(key.data[*at - 1]))
			break;
		if (n < WORD - 1)
			word[n++] = (char)(is_capital(c) ? c | 32 : c);
		++*at;
	}
	word[n] = '\0';
	return n > 0;
}

static bool is_aside(struct ts_span key)
{
	char word[WORD];
	size_t at = 0;

	while (next_word(key, &at, word))
		if (is_one_of(aside, word) && !(at == key.len && at > strlen(word) && strcmp(word, "val") == 0))
			return true; /* pad_val and its like end in a value */
	return false;
}

/* The last word of either list. */
static enum ts_setting_guess last_of(struct ts_span key, const char *acts, const char *idles)
{
	enum ts_setting_guess guess = TS_SETTING_UNKNOWN;
	char word[WORD];
	size_t at = 0;

	while (next_word(key, &at, word)) {
		if (is_one_of(acts, word))
			guess = TS_SETTING_ACTS;
		else if (is_one_of(idles, word))
			guess = TS_SETTING_IDLE;
	}
	return guess;
}

enum ts_setting_guess ts_setting_guess_of(struct ts_span path)
{
	struct ts_span key = last_key(path);
	enum ts_setting_guess guess;

	if (is_aside(key))
		return TS_SETTING_IDLE;
	guess = last_of(key, acting, idle);
	return guess == TS_SETTING_UNKNOWN ? last_of(key, amounts, handles) : guess;
}

/* "accum, act": the words without the blanks around them. */
static void put_words(struct ts_buf *out, const char *head, const char *words)
{
	ts_buf_str(out, head);
	for (size_t i = 0; words[i + 1]; i++) {
		if (words[i] == ' ' && i > 0)
			ts_buf_char(out, ',');
		ts_buf_char(out, words[i]);
	}
	ts_buf_str(out, "\n");
}

void ts_setting_names_markdown(struct ts_buf *out)
{
	put_words(out, "* Is about an evaluation, a log, a file or a profile, whatever the other words say:", aside);
	put_words(out, "* Acts on numbers:", acting);
	put_words(out, "* Names, shows, stores or times something:", idle);
	put_words(out, "* Acts on numbers, where no word above is known:", amounts);
	put_words(out, "* Does not, where no word above is known:", handles);
}
