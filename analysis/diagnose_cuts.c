#include "analysis/diagnose.h"

#include "base/number.h"

static const char measured[] = "measured: growth of small differences";

const struct ts_cut_row ts_cut_rows[TS_CUTS] = {
	[TS_CUT_NUMERIC] = {"numeric_jump", 2e-6, "the largest relative difference of a loss at its first visible step that rounding explains",
			    measured},
	[TS_CUT_GRAD] = {"numeric_grad", 1e-4, "the same of a gradient norm", measured},
	[TS_CUT_INIT] = {"init_jump", 1e-3,
			 "the relative difference at the very first step above which other parameters or other data are the explanation",
			 measured},
	[TS_CUT_PRECISION] = {"precision_jump", 3e-2, "the relative difference at the first step up to which another precision or kernel explains it",
			      "three decimal digits of bf16, times ten"},
	[TS_CUT_RESUME_DATA] = {"resume_data_jump", 5e-2, "the relative difference at a resume from which the data position is the explanation",
				measured},
	[TS_CUT_LATCH] = {"latch_slope", 0.1, "growth of ln r a step above which low precision amplifies a rounding difference", measured},
	[TS_CUT_QUANTUM] = {"quanta", 3, "how many quanta of its source a first difference must have to say anything of its cause",
			    "arithmetic: half a quantum on either side, and one to spare"},
	[TS_CUT_SPREAD] = {"spread_times", 3, "how many times the spread of repeats is still theirs", "TTrace, arXiv 2506.09280"},
	[TS_CUT_BLOW_UP] = {"blow_up", 0.9,
			    "relative difference from which one run has left the other's range; data restarted from their beginning reach 0.5",
			    measured},
	[TS_CUT_BLOW_STEPS] = {"blow_up_records", 50, "records after the first difference within which a blow-up is what was seen first",
			       "the procedure's look back"},
	[TS_CUT_REPORT] = {"report_records", 50, "records over which the state must agree to the bit while a report differs",
			   "rounding reaches the gradient norm after 1 to 25 steps, measured"},
	[TS_CUT_COMMON] = {"common_records", 10, "common records below which scalars are not judged", "the procedure"},
	[TS_CUT_RESUME_STEPS] = {"resume_records", 2, "records after a resume within which a difference belongs to it", "the procedure"},
	[TS_CUT_INPUT_STEPS] = {"input_records", 2, "records by which another batch or generator may precede its effect", "one update, and one to spare"},
	[TS_CUT_LR_STEPS] = {"lr_records", 25, "records by which another learning rate may precede its effect; warm-up begins near 0", measured},
};

void ts_cuts_default(struct ts_cuts *ret_cuts)
{
	for (size_t i = 0; i < TS_CUTS; i++)
		ret_cuts->value[i] = ts_cut_rows[i].value;
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
