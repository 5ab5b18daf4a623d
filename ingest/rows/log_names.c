#include "ingest/rows/log_names.h"

#include "base/digest.h"
#include "base/grow.h"
#include "base/limits.h"
#include "base/number.h"
#include "base/text.h"
#include "ingest/rows/log_memory.h"
#include "run/meaning.h"

#include <stdio.h>

enum {
	NAME_MAX_BYTES = 400,
	/* Of a name that is cut: even if each byte is escaped twice, the path columns.<name>.source has no more than TS_PATH_MAX. */
	BEGINNING_MAX = 100,
	MARK_BYTES = 4,
};

struct row {
	const char *name; /* folded: in lower case, with '-', ' ' and '/' as '_' */
	const char *column;
	double factor;
	const char *who;
};

#define GIB 1073741824.0

/* This is version 3 of the table. The first row that matches decides. */
static const struct row table[] = {
	{"loss", "scalars.loss", 1, "all"},
	{"train_loss", "scalars.loss", 1, "PyTorch, Keras, W&B"},
	{"loss_train", "scalars.loss", 1, "PyTorch tutorials (Loss/train)"},
	{"training_loss", "scalars.loss", 1, ""},
	{"train_loss_step", "scalars.loss", 1, "Lightning"},
	{"lm_loss", "scalars.loss", 1, "Megatron-LM"},
	{"loss_metrics_global_avg_loss", "scalars.loss", 1, "torchtitan"},
	{"reduced_train_loss", "scalars.loss", 1, "NeMo"},
	{"total_loss", "scalars.loss", 1, "detectron2"},
	{"avg_loss", "scalars.loss", 1, ""},
	{"train_crossentropyloss", "scalars.loss", 1, "OLMo"},
	{"trl", "scalars.loss", 1, "Karpathy's GPT-2 in C, main.log"},
	{"train_samples_train_loss", "scalars.loss", 1, "DeepSpeed"},
	{"grad_norm", "scalars.grad_norm", 1, "Hugging Face, Megatron-LM, torchtitan"},
	{"train_grad_norm", "scalars.grad_norm", 1, "Hugging Face in W&B and TensorBoard"},
	{"gradient_norm", "scalars.grad_norm", 1, ""},
	{"grad_norm_total", "scalars.grad_norm", 1, ""},
	{"gnorm", "scalars.grad_norm", 1, "fairseq"},
	{"optim_total_grad_norm", "scalars.grad_norm", 1, "OLMo"},
	{"lr", "scalars.lr", 1, "all"},
	{"learning_rate", "scalars.lr", 1, "Hugging Face, Megatron-LM"},
	{"train_learning_rate", "scalars.lr", 1, "Hugging Face in W&B and TensorBoard"},
	{"train_lr", "scalars.lr", 1, ""},
	{"batch_learning_rate", "scalars.lr", 1, "Keras in W&B"},
	{"epoch_learning_rate", "scalars.lr", 1, "Keras in W&B"},
	{"train_samples_lr", "scalars.lr", 1, "DeepSpeed"},
	{"eval_loss", "scalars.eval_loss", 1, "Hugging Face"},
	{"loss_val", "scalars.eval_loss", 1, "PyTorch tutorials (Loss/val)"},
	{"val_loss", "scalars.eval_loss", 1, "Keras, Lightning"},
	{"epoch_val_loss", "scalars.eval_loss", 1, "Keras in W&B"},
	{"validation_loss", "scalars.eval_loss", 1, ""},
	{"valid_loss", "scalars.eval_loss", 1, "fairseq"},
	{"lm_loss_validation", "scalars.eval_loss", 1, "Megatron-LM"},
	{"validation_metrics_loss", "scalars.eval_loss", 1, "torchtitan"},
	{"tel", "scalars.eval_loss", 1, "Karpathy's GPT-2 in C, main.log"},
	{"iteration_time", "phases.step", 1, "Megatron-LM, seconds"},
	{"elapsed_time_per_iteration_(ms)", "phases.step", 1e-3, "Megatron-LM's log"},
	{"elapsed_time_per_iteration_(s)", "phases.step", 1, "Megatron-DeepSpeed's log"},
	{"train_step_timing_in_s", "phases.step", 1, "NeMo"},
	{"step_time", "phases.step", 1, "seconds"},
	{"step_time_s", "phases.step", 1, ""},
	{"step_time_ms", "phases.step", 1e-3, "TraceML"},
	{"sec_step", "phases.step", 1, "TF-slim's log: sec/step"},
	{"s_step", "phases.step", 1, ""},
	{"s_it", "phases.step", 1, "tqdm: s/it"},
	{"ms_step", "phases.step", 1e-3, "Keras's log: ms/step"},
	{"ms_it", "phases.step", 1e-3, ""},
	{"fwd(ms)", "phases.forward", 1e-3, "DeepSpeed's log"},
	{"bwd(ms)", "phases.backward", 1e-3, "DeepSpeed's log"},
	{"bwd_inner(ms)", "phases.backward", 1e-3, "DeepSpeed's log: without the all-reduce, which bwd has"},
	{"bwd_allreduce(ms)", "phases.comm", 1e-3, "DeepSpeed's log"},
	{"step(ms)", "phases.optimizer", 1e-3, "DeepSpeed's log: of the optimizer"},
	{"time_metrics_end_to_end(s)", "phases.step", 1, "torchtitan"},
	{"time_metrics_data_loading(s)", "scalars.data_loading_time", 1, "torchtitan: part of the step"},
	{"throughput(tps)", "scalars.tokens_per_second", 1, "torchtitan"},
	{"tps", "scalars.tokens_per_second", 1, ""},
	{"tokens_per_second", "scalars.tokens_per_second", 1, ""},
	{"tokens_per_sec", "scalars.tokens_per_second", 1, ""},
	{"tok_s", "scalars.tokens_per_second", 1, "Karpathy's GPT-2 in C"},
	{"tok_sec", "scalars.tokens_per_second", 1, "nanochat's log"},
	{"tokens_s", "scalars.tokens_per_second", 1, ""},
	{"tokens_sec", "scalars.tokens_per_second", 1, "MLX's log"},
	{"tokens_per_second_per_gpu", "scalars.tokens_per_second", 1, "torchtune"},
	{"throughput_device_tokens_per_second", "scalars.tokens_per_second", 1, "OLMo"},
	{"throughput_per_gpu_(tflop_s_gpu)", "scalars.tflops", 1, "Megatron-LM's log: of one GPU, as torchtitan's tflops"},
	{"mfu(%)", "scalars.mfu", 1e-2, "torchtitan: percent"},
	{"mfu", "scalars.mfu", 1, "a ratio; a hundredth of it where a value is above 2"},
	{"bf16_mfu", "scalars.mfu", 1, "nanochat, as mfu"},
	{"bf16_mfu(%)", "scalars.mfu", 1e-2, "Karpathy's GPT-2 in C: percent"},
	{"memory_max_reserved(gib)", "memory.peak_reserved", GIB, "torchtitan"},
	{"memory_max_active(gib)", "memory.peak_alloc", GIB, "torchtitan"},
	{"peak_memory_active", "memory.peak_alloc", GIB, "torchtune: GiB"},
	{"peak_mem(gb)", "memory.peak_alloc", 1e9, "MLX's log"},
	{"system_peak_gpu_memory_(mb)", "memory.peak_alloc", 1e6, "OLMo"},
	{"mem_reserved_bytes", "memory.reserved", 1, "Megatron-LM"},
	{"mem_allocated_bytes", "memory.alloc", 1, "Megatron-LM"},
	{"mem_max_allocated_bytes", "memory.peak_alloc", 1, "Megatron-LM"},
	{"epoch", "epoch", 1, "all"},
	{"train_epoch", "epoch", 1, "Hugging Face in W&B and TensorBoard"},
	{"epoch_epoch", "epoch", 1, "Keras in W&B"},
};

static struct ts_span fold(struct ts_span name, uint8_t *out)
{
	for (size_t i = 0; i < name.len; i++) {
		uint8_t c = name.data[i];

		if (c >= 'A' && c <= 'Z')
			c |= 32;
		out[i] = c == '-' || c == '/' || c == ' ' || c == '.' ? '_' : c;
	}
	return ts_span_of(out, name.len);
}

static const struct row *find(struct ts_span name)
{
	uint8_t folded[NAME_MAX_BYTES];
	struct ts_span f;

	if (name.len > sizeof folded)
		return NULL;
	f = fold(name, folded);
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		if (ts_span_is(f, table[i].name))
			return &table[i];
	return NULL;
}

static enum ts_status take(struct ts_log_names *names, struct ts_span column, struct ts_span name, struct ts_error *err)
{
	if (!TS_GROW_IN(names->arena, names->taken, names->cap, 2 * (names->n + 1), 32))
		return ts_arena_error(names->arena, err);
	names->taken[2 * names->n] = column;
	names->taken[2 * names->n + 1] = ts_arena_span(names->arena, name);
	if (!names->taken[2 * names->n + 1].data)
		return ts_arena_error(names->arena, err);
	names->n++;
	return TS_OK;
}

/* Returns the name that already has the column, or an empty span if none has it. */
static struct ts_span owner_of(const struct ts_log_names *names, struct ts_span column)
{
	for (size_t i = 0; i < names->n; i++)
		if (ts_span_eq(names->taken[2 * i], column))
			return names->taken[2 * i + 1];
	return ts_span_of(NULL, 0);
}

/* Appends "~" and the first digits of the name's SHA-256, which keep two names apart whose beginnings are the same. */
static void put_mark(struct ts_buf *path, struct ts_span name)
{
	struct ts_id id;

	ts_digest(name, &id);
	ts_buf_char(path, '~');
	ts_print_hex(path, ts_span_of(id.bytes, MARK_BYTES));
}

static bool is_text(struct ts_span name)
{
	return ts_utf8_valid(name) && !(name.len && memchr(name.data, 0, name.len));
}

/* Writes scalars.<beginning>~<mark>. A NUL, and a byte that is not part of UTF-8, becomes '_'. */
static void put_renamed(struct ts_buf *path, struct ts_span name)
{
	struct ts_buf begin = TS_BUF_INIT(BEGINNING_MAX + MARK_BYTES * 2 + 8);
	size_t at = 0;

	while (at < name.len && begin.len < BEGINNING_MAX - 4) {
		uint32_t point;
		size_t n = ts_utf8_next(ts_span_of(name.data + at, name.len - at), &point);

		if (n && point)
			ts_buf_bytes(&begin, name.data + at, n);
		else
			ts_buf_char(&begin, '_');
		at += n ? n : 1;
	}
	put_mark(&begin, name);
	ts_buf_reset(path);
	ts_buf_str(path, "scalars");
	ts_path_key(path, ts_buf_view(&begin));
	path->failed = path->failed ? path->failed : begin.failed;
	ts_buf_finish(&begin);
}

static void tell_renamed(const struct ts_log_names *names, struct ts_span name)
{
	char detail[80];

	if (!names->notices)
		return;
	(void)snprintf(detail, sizeof detail, "a name of %zu bytes that is %s got another one", name.len,
		       is_text(name) ? "too long" : "not text");
	ts_notice_add(names->notices, "renamed_key", TS_NOTICE_INFO, names->file, 0, detail);
}

static enum ts_status own_name(struct ts_log_names *names, struct ts_span name, struct ts_log_name *ret_name, struct ts_error *err)
{
	bool valid = name.len <= TS_PATH_MAX && is_text(name);
	struct ts_buf path = TS_BUF_INIT(2 * TS_PATH_MAX + 16);
	enum ts_status status;

	if (valid) {
		ts_buf_str(&path, "scalars");
		ts_path_key(&path, name.len ? name : ts_span_str("unnamed"));
	}
	if (!valid || path.len > TS_PATH_MAX) {
		put_renamed(&path, name);
		tell_renamed(names, name);
	}
	status = ts_buf_check(&path, err);
	if (!status)
		*ret_name = (struct ts_log_name){ts_arena_span(names->arena, ts_buf_view(&path)), 1, false};
	ts_buf_finish(&path);
	if (!status && !ret_name->column.data)
		return ts_arena_error(names->arena, err);
	return status;
}

bool ts_log_name_is_column(struct ts_span name)
{
	const struct row *row = find(name);
	struct ts_span column = row ? ts_span_str(row->column) : ts_span_of(NULL, 0);

	(void)ts_span_skip(&column, "scalars.");
	return row && ts_span_eq(column, name);
}

bool ts_log_name_is_special(struct ts_span name)
{
	return find(name) && !ts_log_name_is_column(name);
}

enum ts_status ts_log_name_as(struct ts_log_names *names, struct ts_span name, const char *column, double factor,
			      struct ts_log_name *ret_name, struct ts_error *err)
{
	struct ts_span ours = ts_span_str(column), owner = owner_of(names, ours);

	if (owner.data && !ts_span_eq(owner, name))
		return own_name(names, name, ret_name, err);
	if (!owner.data && take(names, ours, name, err))
		return err->status;
	*ret_name = (struct ts_log_name){ours, factor, true};
	return TS_OK;
}

enum ts_status ts_log_name(struct ts_log_names *names, struct ts_span name, struct ts_log_name *ret_name, struct ts_error *err)
{
	const struct row *row = find(name);
	double bytes;
	const char *memory = row ? NULL : ts_log_memory(name, &bytes);

	if (row)
		return ts_log_name_as(names, name, row->column, row->factor, ret_name, err);
	if (memory && bytes > 0)
		return ts_log_name_as(names, name, memory, bytes, ret_name, err);
	return own_name(names, name, ret_name, err);
}

/* --- what is measured --- */

/* Whether a word may begin at name.data[at]: a letter that no letter stands before, or the capital of a camel's next hump. */
static bool begins_word(struct ts_span name, size_t at)
{
	uint8_t before = at ? name.data[at - 1] : 0;

	return ts_is_alpha(name.data[at]) && (!ts_is_alpha(before) || ((before & 32) && !(name.data[at] & 32)));
}

/* Whether the letters at name.data[at] are the word, in either case, with nothing but letters of a camel's next hump, digits and
 * other characters behind them. */
static bool word_at(struct ts_span name, size_t at, const char *word)
{
	size_t n = strlen(word);
	uint8_t after;

	if (at + n > name.len)
		return false;
	for (size_t i = 0; i < n; i++)
		if ((name.data[at + i] | 32) != (uint8_t)word[i])
			return false;
	after = at + n < name.len ? name.data[at + n] : 0;
	return !ts_is_alpha(after) || !(after & 32);
}

static bool has_word(struct ts_span name, const char *const *words)
{
	for (size_t at = 0; name.len <= NAME_MAX_BYTES && at < name.len; at++) {
		bool begins = begins_word(name, at);

		for (size_t i = 0; begins && words[i]; i++)
			if ((name.data[at] | 32) == (uint8_t)words[i][0] && word_at(name, at, words[i]))
				return true;
	}
	return false;
}

bool ts_log_name_scores(struct ts_span name)
{
	static const char *const words[] = {"score", "scores", "return", "returns", NULL};

	return has_word(name, words);
}

/* Whether the name has a word of Chinese, Japanese or Korean for a loss, an accuracy or a learning rate. */
static bool measures_in_other_words(struct ts_span name)
{
	static const char *const words[] = {"\u635f\u5931", "\u640d\u5931",	"\u51c6\u786e\u7387", "\u6b63\u89e3\u7387",
					    "\uc190\uc2e4", "\uc815\ud655\ub3c4", "\u5b66\u4e60\u7387", "\u5b66\u7fd2\u7387"};

	for (size_t i = 0; i < name.len; i++)
		if (name.data[i] >= 0x80) {
			for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
				if (ts_span_contains(ts_span_from(name, i), words[k]))
					return true;
			return false;
		}
	return false;
}

/* "valid_0's l2": LightGBM's word for a metric of a set, whichever metric it is. */
static bool is_of_set(struct ts_span name)
{
	static const char *const sets[] = {"train", "valid", "test", "eval"};

	for (size_t i = 0; ts_span_contains(name, "'s ") && i < sizeof sets / sizeof sets[0]; i++)
		if (ts_span_starts(name, ts_span_str(sets[i])))
			return true;
	return false;
}

bool ts_log_name_measures(struct ts_span name)
{
	static const char *const words[] = {
		"loss",	 "losses", "acc",  "accuracy", "lr",	  "learning", "perplexity", "ppl",  "bpb",   "bpc",   "nll",
		"elbo",	 "reward", "rew",  "rewards",  "map",	  "miou",     "iou",	    "mse",  "rmse",  "mae",   "bleu",
		"auc",	 "gnorm",  "grad", "gradient", "dice",	  "logloss",  "top1",	    "top5", "top-1", "top-5", "top 1",
		"top 5", "prec",   "trl",  "tel",      "entropy", "kimg",     "wer",	    "cer",  "bwer", "bcer",
		"objf",	 "fitness", "kld",  "episodic", NULL};

	/* A loss in percent is one of packets or money. */
	if (ts_span_ends(name, "loss(%)"))
		return false;
	if (name.len > NAME_MAX_BYTES)
		return false;
	/* "char train", in percent: what Tesseract gets wrong of its samples. */
	return has_word(name, words) || ts_span_ends(name, "loss") || ts_span_ends(name, "Loss") || ts_span_ends(name, " train(%)") ||
	       measures_in_other_words(name) || is_of_set(name);
}

bool ts_log_name_is_minimized(struct ts_span name)
{
	static const char *const solvers[] = {"bjective", "riterion", "eviance"};

	for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++)
		if (ts_span_ends(name, solvers[i]))
			return false;
	return ts_column_meaning(name) == TS_MEANS_OBJECTIVE;
}

void ts_log_names_markdown(struct ts_buf *out)
{
	ts_buf_str(out, "| name in the log | column | times | seen in |\n|---|---|---|---|\n");
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		char text[TS_DOUBLE_TEXT];

		ts_buf_printf(out, "| `%s` | `%s` | ", table[i].name, table[i].column);
		ts_buf_bytes(out, text, ts_print_double(table[i].factor, text));
		ts_buf_printf(out, " | %s |\n", table[i].who);
	}
}
