/* condition.h - what has to be so before a fix is advised, as a table: a condition is true, false, or not known by the rows.
 *
 * Rows of group "setup" (analysis/answer/setting.h) answer most; where a trace shows what the devices did, it decides. A fix names its
 * conditions, each with what becomes of the fix where the record does not answer:
 *
 *	TS_NEED		the fix is not named
 *	TS_ASK		the fix is worth checking, and `check` says how to find out, in one line
 *	TS_UNLESS	the fix is named: the condition is false only where the record says so
 *
 * A condition that is false rules the fix out in any case. A fix of PyTorch's that asks is named only where a record says that the
 * program is PyTorch's, on which device it computes, or a setting that the fix is about.
 */
#ifndef TSCOPE_ANALYSIS_RULES_CONDITION_H
#define TSCOPE_ANALYSIS_RULES_CONDITION_H

#include "analysis/answer/setting.h"

enum ts_condition {
	TS_IF_NONE, /* ends a list */
	TS_IF_TORCH,
	TS_IF_NOT_WINDOWS,
	TS_IF_CUDA,
	TS_IF_NVIDIA,
	TS_IF_NOT_ROCM,
	TS_IF_CPU,
	TS_IF_TF32_UNITS,
	TS_IF_BF16_UNITS,
	TS_IF_FP16_UNITS,
	TS_IF_MATRIX_UNITS,
	TS_IF_TRITON,
	TS_IF_FLOAT32_PRODUCTS,
	TS_IF_FULL_PRECISION,
	TS_IF_NO_TF32,
	TS_IF_TF32_ALLOWED,
	TS_IF_NOT_COMPILED,
	TS_IF_RECOMPUTES,
	TS_IF_NO_RECOMPUTING,
	TS_IF_ROOM,
	TS_IF_MUCH_ROOM,
	TS_IF_FULL,
	TS_IF_WORKERS,
	TS_IF_FREE_CORES,
	TS_IF_NOT_PERSISTENT,
	TS_IF_LITTLE_PREFETCH,
	TS_IF_NOT_PINNED,
	TS_IF_CONVOLUTIONS,
	TS_IF_ATTENTION,
	TS_IF_PLAIN_ATTENTION,
	TS_IF_NOT_CHANNELS_LAST,
	TS_IF_NO_BENCHMARK,
	TS_IF_NOT_DETERMINISTIC,
	TS_IF_MUCH_OPTIMIZER,
	TS_IF_PLAIN_OPTIMIZER,
	TS_IF_FUSABLE,
	TS_IF_ADAM,
	TS_IF_STATE_32BIT,
	TS_IF_STATE_ON_DEVICE,
	TS_IF_DEBUGGING,
	TS_IF_FEW_THREADS,
	TS_IF_DDP,
	TS_IF_FSDP,
	TS_IF_DATA_PARALLEL,
	TS_IF_FINDS_UNUSED,
	TS_IF_ACCUMULATES,
	TS_IF_SYNCS_EACH,
	TS_IF_WIDE_GRADIENTS,
	TS_IF_NO_OVERLAP,
	TS_IF_SEVERAL_HOSTS,
	TS_IF_STRAGGLERS,
	TS_IF_NO_STRAGGLERS,
	TS_IF_GC_AT_WILL,
	TS_IF_LOGS_OFTEN,
	TS_IF_CHECKPOINTS,
	TS_IF_EVALUATES,
	TS_IF_SYNC_CHECKPOINTS,
	TS_IF_UNATTRIBUTED,
	TS_IF_INPUT_UNSEEN,
	TS_IF_FIXED_SEGMENTS,
	TS_IF_SEVERAL_SAMPLES,
	TS_CONDITIONS,
};

enum ts_if_unknown { TS_NEED, TS_ASK, TS_UNLESS };

struct ts_if {
	enum ts_condition condition;
	enum ts_if_unknown unknown;
};

struct ts_condition_words {
	const char *says;  /* "the loader has workers" */
	const char *check; /* what tells it, in one line; NULL: nothing that a user could ask */
};

const struct ts_condition_words *ts_condition_words(enum ts_condition condition);
enum ts_answered ts_condition_of(const struct ts_measures *m, enum ts_condition condition);

enum ts_fit {
	TS_FIT_NO,	/* a condition is false, or is needed and not known */
	TS_FIT_ASKED,	/* it fits if what is not known is so */
	TS_FIT_YES,
};

/* Goes through a list that ends with TS_IF_NONE. *ret_ask is the first condition that is asked and not known, else TS_IF_NONE. */
enum ts_fit ts_conditions_fit(const struct ts_measures *m, const struct ts_if *conditions, enum ts_condition *ret_ask);

#endif
