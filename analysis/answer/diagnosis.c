#include "analysis/answer/diagnosis.h"

#include "base/words.h"

static const struct {
	const char *word, *title;
} causes[TS_CAUSES] = {
	[TS_CAUSE_UNKNOWN] = {"unknown", "not known"},
	[TS_CAUSE_IDENTICAL] = {"identical", "no difference found"},
	[TS_CAUSE_NOT_COMPARABLE] = {"not_comparable", "too little in common to compare"},
	[TS_CAUSE_QUANTIZATION] = {"quantization", "no more than the rounding of the written values"},
	[TS_CAUSE_REPORTING] = {"reporting", "a logged value differs, but the training does not"},
	[TS_CAUSE_EVALUATION] = {"evaluation", "the evaluation differs, but the training does not"},
	[TS_CAUSE_CONFIG] = {"config", "a different setting or schedule"},
	[TS_CAUSE_INIT] = {"init", "a different initialization"},
	[TS_CAUSE_DATA_ORDER] = {"data_order", "a different data order"},
	[TS_CAUSE_DATA_POSITION] = {"data_position", "the same data at a different position"},
	[TS_CAUSE_DATA_SET] = {"data_set", "different data"},
	[TS_CAUSE_RNG_STREAM] = {"rng_stream", "different random numbers"},
	[TS_CAUSE_INIT_OR_DATA] = {"init_or_data", "a different initialization or different data"},
	[TS_CAUSE_KERNEL_RNG_OR_DATA] = {"kernel_rng_or_data", "a different kernel or precision, or different random numbers or data"},
	[TS_CAUSE_PRECISION] = {"precision", "a different precision or kernel"},
	[TS_CAUSE_REDUCTION_ORDER] = {"reduction_order", "a different order of summation"},
	[TS_CAUSE_PLATFORM] = {"platform", "a different device, library or driver"},
	[TS_CAUSE_NONDETERMINISM] = {"nondeterminism", "nondeterministic kernels"},
	[TS_CAUSE_RESUME_STATE] = {"resume_state", "a resume that did not restore all training state"},
	[TS_CAUSE_RESUME_DATA] = {"resume_data", "a resume that did not restore the data position"},
	[TS_CAUSE_GRADIENT_PATH] = {"gradient_path", "different gradients after equal forward passes"},
	[TS_CAUSE_JUMP] = {"jump", "a sudden change that nothing recorded explains"},
	[TS_CAUSE_CORRUPTION] = {"corruption", "corrupted training state"},
	[TS_CAUSE_BLOW_UP] = {"blow_up", "only one of the two runs blew up"},
	[TS_CAUSE_CODE] = {"code", "different code, or a different objective"},
	[TS_CAUSE_ORDER_OR_SET] = {"order_or_set", "different batches: their order, the data set or how they are made"},
	[TS_CAUSE_STEP_NUMBERING] = {"step_numbering", "steps that are counted from a different number"},
	[TS_CAUSE_RANK_ORDER] = {"rank_order", "the same work on ranks with different numbers"},
	[TS_CAUSE_LOCAL_LOSSES] = {"local_losses", "losses of each rank's own share, with a different number of ranks"},
	[TS_CAUSE_ON_POLICY] = {"on_policy", "data that the run itself makes"},
	[TS_CAUSE_COMPUTATION] = {"computation", "different results from the same inputs"},
	[TS_CAUSE_ROUNDING] = {"rounding", "a rounding difference"},
};

const char *ts_cause_word(enum ts_cause cause)
{
	return (unsigned)cause < TS_CAUSES ? causes[cause].word : (int)cause == TS_NEWER ? TS_NEWER_WORD : "unknown";
}

const char *ts_cause_title(enum ts_cause cause)
{
	return (unsigned)cause < TS_CAUSES ? causes[cause].title : (int)cause == TS_NEWER ? TS_NEWER_WORD : "not known";
}

TS_WORDS(ts_confidence_word, enum ts_confidence, "none", [TS_CONFIDENCE_NONE] = "none", [TS_CONFIDENCE_LOW] = "low",
	 [TS_CONFIDENCE_MEDIUM] = "medium", [TS_CONFIDENCE_HIGH] = "high")

TS_WORDS(ts_tier_word, enum ts_tier_answer, "unknown", [TS_TIER_UNKNOWN] = "unknown", [TS_TIER_HOLDS] = "holds",
	 [TS_TIER_FAILS] = "fails")

TS_WORDS(ts_experiment_word, enum ts_experiment_kind,
	 "other", [TS_EXPERIMENT_OTHER] = "other", [TS_EXPERIMENT_RECORD] = "record", [TS_EXPERIMENT_REPEAT] = "repeat",
	 [TS_EXPERIMENT_DETERMINISTIC] = "deterministic", [TS_EXPERIMENT_SET] = "set", [TS_EXPERIMENT_SWAP_HOSTS] = "swap_hosts")

TS_WORDS(ts_recipe_word, enum ts_experiment_recipe,
	 "none", [TS_RECIPE_NONE] = "none", [TS_RECIPE_A] = "a", [TS_RECIPE_B] = "b", [TS_RECIPE_BOTH] = "both")
