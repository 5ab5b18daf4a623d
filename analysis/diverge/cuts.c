#include "analysis/diverge/cuts.h"

#include "analysis/diverge/repeats.h"
#include "base/number.h"

static const char measured[] = "measured: growth of small differences";
static const char perturbed[] = "TTrace, arXiv 2506.09280";
static const char procedure[] = "the procedure";

const struct ts_cut_row ts_cut_rows[TS_CUTS] = {
	[TS_CUT_NUMERIC] =
		{"numeric_jump", 2e-6, 0, false,
		 "the largest relative difference of a loss at its first visible step that rounding explains",
		 measured},
	[TS_CUT_GRAD] =
		{"numeric_grad", 1e-4, 0, false,
		 "the largest relative difference of a gradient norm at its first visible step that rounding explains",
		 measured},
	[TS_CUT_INIT] =
		{"init_jump", 1e-3, 0, false,
		 "the relative difference at the very first step above which different parameters or different data "
		 "are the explanation",
		 measured},
	[TS_CUT_PRECISION] =
		{"precision_jump", 3e-2, 0, false,
		 "the relative difference at the first step up to which a different precision or kernel explains it",
		 "three decimal digits of bf16, times ten"},
	[TS_CUT_RESUME_DATA] = {"resume_data_jump", 5e-2, 0, false,
				"the relative difference at a resume from which the data position is the explanation",
				measured},
	[TS_CUT_LATCH] = {"latch_slope", 0.1, 0, false,
			  "growth of ln r per step above which low precision amplifies a rounding difference",
			  measured},
	[TS_CUT_GROWTH] = {"hidden_slope", 0.26, 0, false,
			   "growth of ln r per step that rounding may have had over steps without a record", measured},
	[TS_CUT_QUANTUM] =
		{"quanta", 3, 0, false,
		 "how many quanta of its source a first difference must have to say anything about its cause",
		 "arithmetic: half a quantum on either side, and one to spare"},
	[TS_CUT_SPREAD] = {"spread_times", TS_ENVELOPE_TIMES, 0, false,
			   "how many times the spread of the repeats still counts as their spread, in a diagnosis and "
			   "in their envelope",
			   perturbed},
	[TS_CUT_BLOW_UP] =
		{"blow_up", 0.9, 0, false,
		 "relative difference from which one run has left the range of the other; data restarted from "
		 "their beginning reach 0.5",
		 measured},
	[TS_CUT_BLOW_STEPS] =
		{"blow_up_records", 50, 0, true,
		 "records after the first difference within which a blow-up counts as the first thing that was seen",
		 "the procedure's look back"},
	[TS_CUT_REPORT] = {"report_records", 50, 1, true,
			   "records over which the state must agree bit for bit while a logged value differs",
			   "rounding reaches the gradient norm after 1 to 25 steps, measured"},
	[TS_CUT_COMMON] = {"common_records", 10, 1, true, "common records below which scalars are not judged",
			   procedure},
	[TS_CUT_RESUME_STEPS] = {"resume_records", 2, 0, true,
				 "records after a resume within which a difference belongs to it", procedure},
	[TS_CUT_INPUT_STEPS] = {"input_records", 2, 0, true,
				"records by which a different batch or random generator may precede its effect",
				"one update, and one to spare"},
	[TS_CUT_LR_STEPS] = {"lr_records", 25, 1, true,
			     "records by which a different learning rate may precede its effect; warm-up begins near 0",
			     measured},
	[TS_CUT_WINDOW] = {"envelope_window", TS_ENVELOPE_WINDOW, 1, true,
			   "points of a window over which the spread of the repeats is taken", procedure},
	[TS_CUT_RUN] = {"envelope_run", TS_ENVELOPE_RUN, 1, true,
			"points in a row outside the envelope of the repeats that count as a real difference",
			procedure},
	[TS_CUT_AT_ONCE] =
		{"envelope_at_once", TS_ENVELOPE_AT_ONCE, 1, true,
		 "points in a row, the first that are outside, that count as a real difference where repeats "
		 "differ by chance",
		 procedure},
	[TS_CUT_AMPLIFIED] = {"envelope_amplified", TS_ENVELOPE_AMPLIFIED, 0, false,
			      "the spread of the repeats from which low precision has amplified their rounding",
			      measured},
	[TS_CUT_CHANCE] = {"envelope_chance", TS_ENVELOPE_CHANCE, 0, false,
			   "the largest relative difference that amplified rounding reaches", measured},
};

void ts_cuts_default(struct ts_cuts *ret_cuts)
{
	for (size_t i = 0; i < TS_CUTS; i++)
		ret_cuts->value[i] = ts_cut_rows[i].value;
}

bool ts_cut_find(struct ts_span name, size_t *ret_cut)
{
	for (size_t i = 0; i < TS_CUTS; i++)
		if (ts_span_is(name, ts_cut_rows[i].name)) {
			*ret_cut = i;
			return true;
		}
	return false;
}

void ts_cuts_of(const struct ts_policy *policy, struct ts_cuts *ret_cuts)
{
	size_t cut;

	ts_cuts_default(ret_cuts);
	for (size_t i = 0; policy && i < policy->n; i++)
		if (ts_span_is(policy->items[i].code, TS_CUTS_CODE) && ts_cut_find(policy->items[i].threshold, &cut))
			ret_cuts->value[cut] = policy->items[i].value;
}

void ts_cuts_markdown(struct ts_buf *out)
{
	char text[TS_DOUBLE_TEXT];

	ts_buf_str(out, "| cut-off | value | what | source |\n|---|---|---|---|\n");
	for (size_t i = 0; i < TS_CUTS; i++) {
		ts_buf_printf(out, "| `%s` | ", ts_cut_rows[i].name);
		ts_buf_bytes(out, text, ts_print_double(ts_cut_rows[i].value, text));
		ts_buf_printf(out, " | %s | %s |\n", ts_cut_rows[i].what, ts_cut_rows[i].source);
	}
}
