/* diagnosis.h - why two runs differ: a class, how sure, the evidence for and against, what else it could be, and what to run next.
 *
 * High confidence needs hard evidence: digests of parameters, batches, gradients or generators, the learning-rate series, or a
 * fact with a known numeric effect and a fitting signature. Hardware is named only after a replay or a swap. What cannot be told
 * apart from the records at hand is one inseparable class, with the record that would split it.
 */
#ifndef TSCOPE_ANALYSIS_ANSWER_DIAGNOSIS_H
#define TSCOPE_ANALYSIS_ANSWER_DIAGNOSIS_H

#include "analysis/answer/measure.h"

enum ts_cause {
	TS_CAUSE_UNKNOWN = 0,
	TS_CAUSE_IDENTICAL = 1,	     /* no difference, as far as the records can show */
	TS_CAUSE_NOT_COMPARABLE = 2, /* too few common steps, or nothing that both computed */
	TS_CAUSE_QUANTIZATION = 3,   /* no difference larger than the rounding of the written values */
	TS_CAUSE_REPORTING = 4,	     /* a logged value differs, the training state agrees */
	TS_CAUSE_EVALUATION = 5,     /* training agrees, evaluation differs */
	TS_CAUSE_CONFIG = 6,	     /* learning rate, schedule, optimizer, a setting of known effect */
	TS_CAUSE_INIT = 7,
	TS_CAUSE_DATA_ORDER = 8,
	TS_CAUSE_DATA_POSITION = 9,  /* the same batches, shifted */
	TS_CAUSE_DATA_SET = 10,
	TS_CAUSE_RNG_STREAM = 11,    /* dropout and other draws */
	TS_CAUSE_INIT_OR_DATA = 12,  /* inseparable without digests */
	TS_CAUSE_KERNEL_RNG_OR_DATA = 13, /* inseparable: precision or kernel path, generator stream, data */
	TS_CAUSE_PRECISION = 14,     /* precision mode or kernel path */
	TS_CAUSE_REDUCTION_ORDER = 15, /* world size, batch split, algorithm and topology of collectives */
	TS_CAUSE_PLATFORM = 16,	     /* device, library or driver */
	TS_CAUSE_NONDETERMINISM = 17, /* nondeterministic kernels: repeats of one recipe differ */
	TS_CAUSE_RESUME_STATE = 18,  /* optimizer, scaler or generator not restored */
	TS_CAUSE_RESUME_DATA = 19,   /* data position not restored */
	TS_CAUSE_GRADIENT_PATH = 20, /* collectives or clipping, after a correct forward pass */
	TS_CAUSE_JUMP = 21,	     /* an unexplained jump; corruption only with hash evidence */
	TS_CAUSE_CORRUPTION = 22,
	TS_CAUSE_BLOW_UP = 23,	     /* only one of the two runs blew up */
	TS_CAUSE_CODE = 24,	     /* the code, and with it perhaps the objective */
	TS_CAUSE_ORDER_OR_SET = 25,  /* inseparable: other batches, by order or by data set */
	TS_CAUSE_STEP_NUMBERING = 26, /* the same run, its steps counted from another number */
	TS_CAUSE_RANK_ORDER = 27,    /* the same work, on ranks of other numbers */
	TS_CAUSE_LOCAL_LOSSES = 28,  /* losses of a rank's own share, under another number of ranks */
	TS_CAUSE_ON_POLICY = 29,     /* data that the run itself makes */
	TS_CAUSE_COMPUTATION = 30,   /* inseparable: equal inputs, and other results */
	TS_CAUSE_ROUNDING = 31,	     /* inseparable: kernel, order of summation, device, a low bit */
	TS_CAUSES,
};

enum ts_confidence { TS_CONFIDENCE_NONE = 0, TS_CONFIDENCE_LOW = 1, TS_CONFIDENCE_MEDIUM = 2, TS_CONFIDENCE_HIGH = 3 };

/* bit-exact, numerically equivalent, statistically equivalent: printed apart, each with the record that supports it. */
enum ts_tier_answer { TS_TIER_UNKNOWN = 0, TS_TIER_HOLDS = 1, TS_TIER_FAILS = 2 };

struct ts_tier {
	enum ts_tier_answer answer;
	struct ts_span why; /* "loss and grad_norm over 10,000 common steps, as doubles" */
};

enum ts_experiment_kind { /* what is done, for a program that would do it */
			  TS_EXPERIMENT_OTHER = 0,
			  TS_EXPERIMENT_RECORD = 1,	   /* the recipes as they were, with more recorded */
			  TS_EXPERIMENT_REPEAT = 2,	   /* the recipe as it was, twice */
			  TS_EXPERIMENT_DETERMINISTIC = 3, /* the same with deterministic kernels */
			  TS_EXPERIMENT_SET = 4,	   /* the recipe with its factors set to other values */
			  TS_EXPERIMENT_SWAP_HOSTS = 5,	   /* each recipe where the other one ran */
			  TS_EXPERIMENT_KINDS,
};

enum ts_experiment_recipe { TS_RECIPE_NONE = 0, TS_RECIPE_A = 1, TS_RECIPE_B = 2, TS_RECIPE_BOTH = 3, TS_RECIPES };

struct ts_experiment_factor {
	struct ts_span path, value; /* of a fact, and what it is set to, as text */
};

struct ts_experiment {
	struct ts_span what;	/* "repeat the first run for 50 steps" */
	struct ts_span command; /* may be empty */
	struct ts_span splits;	/* what its result would tell apart */
	uint64_t steps;		/* 0: none are run */
	enum ts_experiment_kind kind;
	enum ts_experiment_recipe recipe; /* whose runs are made again */
	struct ts_experiment_factor *factors;
	size_t n_factors;
	bool has_stop;
	int64_t stop; /* the step before which a run may end */
};

struct ts_diagnosis {
	enum ts_cause cause;
	enum ts_confidence confidence;
	bool has_step;
	int64_t step; /* where it began, as far as can be seen */
	struct ts_span sentence; /* one that a tired person can act on */
	struct ts_tier bits, numeric, statistical;
	struct ts_span *evidence_for, *evidence_against;
	size_t n_for, n_against;
	enum ts_cause *remaining; /* what else it could be, likeliest first */
	size_t n_remaining;
	struct ts_experiment *experiments; /* the cheapest first */
	size_t n_experiments;
	struct ts_measures features; /* group "divergence": what was decided on */
};

const char *ts_cause_word(enum ts_cause cause);	      /* "data_order": for JSON */
const char *ts_cause_title(enum ts_cause cause);      /* "a different data order" */
const char *ts_confidence_word(enum ts_confidence c); /* "none", "low", "medium", "high" */
const char *ts_experiment_word(enum ts_experiment_kind kind); /* "other", "record", "repeat", "deterministic", ... */
const char *ts_recipe_word(enum ts_experiment_recipe recipe); /* "none", "a", "b", "both" */
const char *ts_tier_word(enum ts_tier_answer answer); /* "unknown", "holds", "fails" */

#endif
