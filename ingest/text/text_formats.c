#include "ingest/text/text_formats.h"

#include "base/text.h"
#include "ingest/rows/log_axes.h"
#include "ingest/rows/log_names.h"
#include "ingest/text/text_named.h"
#include "ingest/text/text_pattern.h"

/* A kind of line: the template of how it begins, then pairs (text_record.h). */
struct form {
	enum ts_text_format format;
	const char *head;
	char between; /* of the pairs: '|', ',', ' '; '{': a dict, whose brace is the last of the template's characters */
	const char *needs; /* the line is one of a step only if it has this name; NULL: any number */
	const struct ts_text_rename *renames;
};

/* Names get the spelling that the program's own TensorBoard tags have, so that both become the same columns. */
static const struct ts_text_rename megatron_eval[] = {
	{"* value", "* validation"}, {"* PPL", "* validation ppl"}, {NULL, NULL}};
static const struct ts_text_rename megatron_test[] = {{"* value", "* test"}, {"* PPL", "* test ppl"}, {NULL, NULL}};
static const struct ts_text_rename titan[] = {{"loss", "loss_metrics/global_avg_loss"},
					      {"memory(GiB)", "memory/max_reserved(GiB)"},
					      {"memory(%)", "memory/max_reserved(%)"},
					      {"tps", "throughput(tps)"},
					      {NULL, NULL}};
static const struct ts_text_rename titan_eval[] = {{"memory(GiB)", "validation_metrics/memory/max_reserved(GiB)"},
						   {"memory(%)", "validation_metrics/memory/max_reserved(%)"},
						   {"tps", "validation_metrics/throughput(tps)"},
						   {"*", "validation_metrics/*"},
						   {NULL, NULL}};
static const struct ts_text_rename fairseq_train[] = {{"num_updates", "num_updates"}, {"*", "train/*"}, {NULL, NULL}};
static const struct ts_text_rename fairseq_valid[] = {{"num_updates", "num_updates"}, {"*", "valid/*"}, {NULL, NULL}};
static const struct ts_text_rename fairseq_json[] = {
	{"train_num_updates", "num_updates"}, {"valid_num_updates", "num_updates"}, {NULL, NULL}};

static const struct ts_text_rename bar_names[] = {{"v_num", ""}, {NULL, NULL}};

/* The first row that fits decides.
 *
 * Megatron-LM: core_v0.15, megatron/training/training.py, training_log and evaluate_and_print_results.
 * NeMo: 2.5, nemo/lightning/pytorch/callbacks/progress_printer.py, ProgressPrinter.format_string.
 * torchtitan: 0.2, torchtitan/components/metrics.py, MetricsProcessor.log and log_validation.
 * fairseq: 0.12.2, fairseq/logging/progress_bar.py, SimpleProgressBar and JsonProgressBar.
 * transformers: 4.57, trainer_callback.py, PrinterCallback and ProgressCallback. Trainer.log gives each record an epoch.
 */
static const struct form forms[] = {
	{TS_TEXT_MEGATRON, "validation loss at iteration {iteration} on test set |", '|', NULL, megatron_test},
	{TS_TEXT_MEGATRON, "validation loss at iteration {iteration} on validation set |", '|', NULL, megatron_eval},
	{TS_TEXT_MEGATRON, "validation loss at iteration {iteration} |", '|', NULL, megatron_eval},
	{TS_TEXT_NEMO, "Training epoch {epoch}, iteration {}/{} |", '|', "global_step", NULL},
	{TS_TEXT_MEGATRON, "iteration {iteration}/{} |", '|', NULL, NULL},
	{TS_TEXT_TORCHTITAN, "validate step: {step} ", ' ', "validation_metrics/loss", titan_eval},
	{TS_TEXT_TORCHTITAN, "step: {step} ", ' ', "loss_metrics/global_avg_loss", titan},
	{TS_TEXT_FAIRSEQ, "| {} | {{", '{', "num_updates", fairseq_json},
	{TS_TEXT_FAIRSEQ, "| train | epoch {epoch} |", '|', "num_updates", fairseq_train},
	{TS_TEXT_FAIRSEQ, "| epoch {epoch} | valid on '{}' subset |", '|', "num_updates", fairseq_valid},
	{TS_TEXT_FAIRSEQ, "epoch {epoch}: {} / {} ", ',', "num_updates", NULL},
	{TS_TEXT_HUGGINGFACE, "{{", '{', "epoch", NULL},
};

static const struct {
	const char *name;
	bool means;
	int significant, quoted; /* digits, and those of numbers in quotes */
} formats[] = {
	[TS_TEXT_MEGATRON] = {"Megatron-LM log", true, 0, 0},
	[TS_TEXT_NEMO] = {"NeMo log", true, 4, 4},
	[TS_TEXT_TORCHTITAN] = {"torchtitan log", false, 0, 0},
	[TS_TEXT_FAIRSEQ] = {"fairseq log", true, 0, 0},
	[TS_TEXT_HUGGINGFACE] = {"Hugging Face log", true, 0, 4},
	[TS_TEXT_BAR] = {"progress bars of tqdm", false, 0, 0},
	[TS_TEXT_TEMPLATE] = {"text log, by a template", false, 0, 0},
};

int ts_text_format_significant(enum ts_text_format format, bool quoted)
{
	return quoted ? formats[format].quoted : formats[format].significant;
}

const char *ts_text_format_name(enum ts_text_format format)
{
	return formats[format].name;
}

bool ts_text_format_means(enum ts_text_format format)
{
	return formats[format].means;
}

static bool has_number(const struct ts_text_record *r, const char *name)
{
	const struct ts_text_cell *c = ts_text_record_find(r, name);

	return c && !c->is_text;
}

/* Whether a number of the record has the name of a step: "iter", "global_step/max_steps". */
static bool counts(const struct ts_text_record *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (ts_log_axis_tells(r->cells[i].name) && !ts_span_is(r->cells[i].name, "epoch"))
			return true;
	return false;
}

static bool fits(const struct form *form, struct ts_span text, struct ts_text_record *r)
{
	struct ts_span rest;
	size_t heads;

	if (!ts_text_pattern_match(ts_span_str(form->head), text, r, &rest, NULL))
		return false;
	/* "step: 5, loss: 2.5" is another program's. */
	if (form->between == ' ' && ts_span_starts(rest, ts_span_str(",")))
		return false;
	heads = r->n;
	/* The template consumed the brace of the dict. */
	if (form->between == '{' && !ts_text_dict(r, form->renames, ts_span_of(rest.data - 1, rest.len + 1)))
		return false;
	/* A record of Hugging Face has no step. A dict that has one is another program's, and is read by it. */
	if (form->format == TS_TEXT_HUGGINGFACE && counts(r))
		return false;
	if (form->between != '{')
		ts_text_pairs(r, form->renames, rest, form->between);
	return form->needs ? has_number(r, form->needs) : r->n - r->texts > heads;
}

/* "Epoch 3/10 loss: 0.52:  33%|": behind an epoch, numbers stand in the text before the bar, and one of them is what trainings measure;
 * "d: -3.99; gen: 0.14:   0%|": or two with decimals stand there, and none in the bar. Bars of other texts are left to the guess
 * (text_guess.h). */
static bool has_described(const struct ts_text_bar *bar, struct ts_text_record *r)
{
	bool measures = false;

	ts_text_record_clear(r);
	if (!bar->what.len)
		return false;
	(void)ts_text_named_in(bar->what, r);
	if (bar->what.len < 2 || (bar->what.data[0] | 32) != 'e' || (bar->what.data[1] | 32) != 'p')
		return ts_text_record_decimals(r) > 1 && !memchr(bar->inside.data, '=', bar->inside.len);
	for (size_t i = 0; i < r->n; i++) {
		measures |= !r->cells[i].is_text && ts_log_name_measures(r->cells[i].name);
		if (ts_log_axis_rank(r->cells[i].name) == ts_log_axis_rank(ts_span_str("epoch")))
			r->cells[i].name = ts_span_str("epoch");
	}
	return measures;
}

/* A bar without a pair says nothing about a step. */
static bool has_pairs(const struct ts_text_bar *bar, struct ts_text_record *r)
{
	if (!has_described(bar, r))
		ts_text_record_clear(r);
	ts_text_pairs(r, bar_names, bar->inside, ',');
	return r->n > r->texts;
}

enum ts_text_format ts_text_recognize(struct ts_span text, struct ts_text_record *r, struct ts_text_bar *bar, bool *ret_is_bar)
{
	*ret_is_bar = false;
	ts_text_record_clear(r);
	if (text.len > TS_TEXT_LINE_MAX)
		return TS_TEXT_NONE;
	if (ts_text_bar_parse(text, bar)) {
		*ret_is_bar = true;
		return has_pairs(bar, r) ? TS_TEXT_BAR : TS_TEXT_NONE;
	}
	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
		if (fits(&forms[i], text, r))
			return forms[i].format;
	ts_text_record_clear(r);
	return TS_TEXT_NONE;
}
