/* setting_names.c - words of settings. The last word that is known decides, because it is the noun: alpha_note is a note, note_alpha is
 * an alpha. A word of units or of kinds decides nothing. */
#include "analysis/diverge/setting_names.h"

enum { WORD = 24 };

static const char acting[] =
	" accum accumulate accumulation act activation adam adv advantage alibi alpha amp amsgrad anneal attention"
	" attn aug augment augmentation aux balance batch beta betas bias blur bptt cap causal center channel channels"
	" clip clipping coef coeff coefficient conv cooldown crop curriculum cutmix cutout damping decay dilation dim"
	" dims discount distill dropout droppath drop dtype ema embed embedding entropy epoch epochs eps epsilon"
	" expert experts factor ffn flip focal fraction freeze frozen fuse fused gae gain gamma gate gated gating grad"
	" gradient head heads hidden horizon init inner jitter kernel kl lambda layer layers layernorm length lora"
	" loss losses lr margin mask masking mix mixup mlp momentum mu mult multiplier negative negatives nesterov"
	" noise norm normalize normalization norms offset optim optimizer order outer packing pad padding patch"
	" penalty perturb pool pooling positive power precision prob probability prompt prune quant quantize"
	" quantization radius rank rate ratio reduction reg regularization residual resize reuse reward rho rms"
	" rollout rollouts rope rotary rotate rotation router sample sampler samples sampling scale scaler scaling"
	" schedule scheduler seed seq sequence shift shuffle sigma skip slope smooth smoothing soft softcap sparsity"
	" split std stride sum swish target tau teacher temp temperature theta thresh threshold tied tie topk"
	" transform trunc truncate truncation unfreeze update updates vocab warm warmup wd weight weights weighting"
	" width window zero zloss ";

static const char idle[] =
	" account address alert alerts annotation artifact artifacts author backup banner bar bins bucket cache"
	" callback callbacks cleanup cluster color colors colour comment console contact credentials csv dashboard"
	" date debug description dir directory disk display doc docs dump echo email endpoint entity every experiment"
	" export figure file filename folder font frequency freq heartbeat hist histogram history host hostname html"
	" hub id image interval job keep label labels limit line link log logger loggers logging logs machine mail"
	" message metadata monitor monitoring name names node nodes note notes notify org organization output owner"
	" partition password path paths pin plot plots port prefetch prefix print priority private profile profiler"
	" profiling progress project purge queue quiet reason refresh region repo report reporting restarts results"
	" retention retries retry revision root run save saves server session shutdown slack slurm socket stamp status"
	" stdout storage suffix summary tag tags team telemetry tensorboard theme ticket timeout timestamp title token"
	" tool tracker tracking upload uri url user username uuid verbose verbosity visible visualize wait wandb"
	" watchdog webhook worker workers workspace ";

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

enum ts_setting_guess ts_setting_guess_of(struct ts_span path)
{
	enum ts_setting_guess guess = TS_SETTING_UNKNOWN;
	struct ts_span key = last_key(path);
	char word[WORD];
	size_t at = 0;

	while (next_word(key, &at, word)) {
		if (is_one_of(acting, word))
			guess = TS_SETTING_ACTS;
		else if (is_one_of(idle, word))
			guess = TS_SETTING_IDLE;
	}
	return guess;
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
	put_words(out, "* Acts on numbers:", acting);
	put_words(out, "* Names, shows, stores or times something:", idle);
}
