#include "analysis/answer/diagnosis.h"

static const struct {
	const char *word, *title;
} causes[TS_CAUSES] = {
	[TS_CAUSE_UNKNOWN] = {"unknown", "not known"},
	[TS_CAUSE_IDENTICAL] = {"identical", "nothing differs"},
	[TS_CAUSE_NOT_COMPARABLE] = {"not_comparable", "not comparable"},
	[TS_CAUSE_QUANTIZATION] = {"quantization", "no more than how coarsely it was written"},
	[TS_CAUSE_REPORTING] = {"reporting", "the report differs, the training does not"},
	[TS_CAUSE_EVALUATION] = {"evaluation", "the evaluation differs, the training does not"},
	[TS_CAUSE_CONFIG] = {"config", "another setting"},
	[TS_CAUSE_INIT] = {"init", "another initialization"},
	[TS_CAUSE_DATA_ORDER] = {"data_order", "another order of the data"},
	[TS_CAUSE_DATA_POSITION] = {"data_position", "the same data, shifted"},
	[TS_CAUSE_DATA_SET] = {"data_set", "other data"},
	[TS_CAUSE_RNG_STREAM] = {"rng_stream", "another stream of random numbers"},
	[TS_CAUSE_INIT_OR_DATA] = {"init_or_data", "another initialization or other data"},
	[TS_CAUSE_KERNEL_RNG_OR_DATA] = {"kernel_rng_or_data", "another kernel, precision, random stream or data"},
	[TS_CAUSE_PRECISION] = {"precision", "another precision or kernel path"},
	[TS_CAUSE_REDUCTION_ORDER] = {"reduction_order", "another order of summation"},
	[TS_CAUSE_PLATFORM] = {"platform", "another device, library or driver"},
	[TS_CAUSE_NONDETERMINISM] = {"nondeterminism", "kernels without a fixed order"},
	[TS_CAUSE_RESUME_STATE] = {"resume_state", "state that the resume did not restore"},
	[TS_CAUSE_RESUME_DATA] = {"resume_data", "a data position that the resume did not restore"},
	[TS_CAUSE_GRADIENT_PATH] = {"gradient_path", "gradients, after equal forward passes"},
	[TS_CAUSE_JUMP] = {"jump", "a jump that is not explained"},
	[TS_CAUSE_CORRUPTION] = {"corruption", "damaged state"},
	[TS_CAUSE_BLOW_UP] = {"blow_up", "one run alone blew up"},
};

const char *ts_cause_word(enum ts_cause cause)
{
	return (unsigned)cause < TS_CAUSES ? causes[cause].word : "unknown";
}

const char *ts_cause_title(enum ts_cause cause)
{
	return (unsigned)cause < TS_CAUSES ? causes[cause].title : "not known";
}

const char *ts_confidence_word(enum ts_confidence c)
{
	static const char *const words[] = {"none", "low", "medium", "high"};

	return (unsigned)c < sizeof words / sizeof words[0] ? words[c] : "none";
}

const char *ts_tier_word(enum ts_tier_answer answer)
{
	static const char *const words[] = {"unknown", "holds", "fails"};

	return (unsigned)answer < sizeof words / sizeof words[0] ? words[answer] : "unknown";
}
