/* evidence.h - all that the diagnosis of a divergence looks at, as plain structs that a store or a test can fill.
 *
 * Zero is unknown in every field: a zeroed struct knows nothing, and nothing unknown counts as equal. Steps are those of the
 * records. A series "parts" where the bits of some common step differ; by how much is in the gap.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_EVIDENCE_H
#define TSCOPE_ANALYSIS_DIVERGE_EVIDENCE_H

#include "analysis/diverge/batches.h"
#include "analysis/diverge/diff.h"
#include "analysis/diverge/pattern_noise.h"
#include "analysis/diverge/pattern_report.h"
#include "analysis/diverge/pattern_return.h"
#include "analysis/diverge/pattern_skip.h"
#include "analysis/diverge/pattern_stride.h"

enum ts_series_kind {
	TS_KIND_OTHER = 0, /* of the trajectory, and nothing below: accuracy of a batch, ... */
	TS_KIND_LOSS,
	TS_KIND_GRAD_NORM,
	TS_KIND_LR,
	TS_KIND_EVAL,	/* loss or score of an evaluation */
	TS_KIND_SCALE,	/* the factor of mixed precision, by which the loss is multiplied before the backward pass */
	TS_KIND_PARAMS, /* digests, of each rank */
	TS_KIND_GRADS,
	TS_KIND_OPTIMIZER, /* of its state */
	TS_KIND_BATCH,
	TS_KIND_RNG,	/* states of generators; those before a pass, where there are any */
	TS_KIND_DRAWS,	/* states of generators behind a pass whose state before it is recorded, too: they show what it drew */
	TS_KIND_BUFFERS, /* of a model, as the pass of its step left them: running statistics and their like, not used by training */
	TS_KIND_INDICES, /* of the samples drawn for a step, where they agree; those that differ are of another batch */
	TS_KIND_DIGEST, /* of something else */
	TS_KINDS,
};

/* A series of one rank that at least one run has. */
struct ts_evidence_series {
	enum ts_series_kind kind;
	struct ts_span name;
	int32_t rank;
	bool in_a, in_b;
	uint64_t common;       /* steps that both have, as many as were looked at; 0: none, or unknown */
	int64_t first_common;  /* if common > 0 */
	bool from_first;       /* first_common is the first step that either has: nothing lies before it */
	int64_t last_common;   /* the last that was looked at, if common > 0 */
	int64_t cadence;       /* steps from one record to the next, of the side that has fewer; 0: unknown */
	bool other_cadence;    /* the sides are known to have different ones */
	bool parts;
	int64_t first;	       /* if it parts: the first step that differs */
	bool after_known;      /* the last common step before that, which agrees */
	int64_t after;
	double a, b;	       /* of numbers: the values at first */
	uint64_t word_a, word_b; /* of digests: the same */
	struct ts_gap gap;     /* of numbers; .known says whether it was looked at */
	struct ts_writing writing_a, writing_b; /* of numbers; doubles where nothing was declared or seen */
};

/* Is a digest of parameters one of those that the forward pass of its step used, or of those that its update left? */
enum ts_digest_time { TS_DIGEST_UNKNOWN = 0, TS_DIGEST_BEFORE = 1, TS_DIGEST_AFTER = 2 };

enum ts_repeats_answer {
	TS_REPEATS_UNKNOWN = 0,
	TS_REPEATS_EQUAL = 1,	  /* every pair is the same to the bit */
	TS_REPEATS_SCATTERED = 2, /* pairs first differ at different steps */
	TS_REPEATS_ODD = 3,	  /* one differs from all others, which are equal */
};

/* Other runs of the first run's recipe. */
struct ts_repeats_seen {
	size_t runs;		/* the first run among them; 0: none */
	enum ts_repeats_answer answer;
	double spread;		/* greatest r between two of them in the same window; valid if runs > 1 */
	enum ts_tier_answer inside; /* the second run against their envelope */
	struct ts_tier statistical; /* the second run against their level; why is empty where no repeats were asked for */
};

/* The series of one run lie on the steps of the other, moved by a constant number. */
struct ts_moved {
	bool looked;	/* for that; else nothing is known of it */
	int64_t by;	/* step s of the first run is step s + by of the second; 0: none was found */
	uint64_t steps; /* that agree so, in every bit of a loss, gradient norm or digest */
};

/* From where they differ on, the learning rates of one run are those that both runs had earlier. */
struct ts_rates_moved {
	int64_t by;	/* the rate of step s is that of step s + by; < 0; 0: none was found */
	bool of_a;	/* it is the first run that has them */
	uint64_t steps; /* that agree so, in every bit */
};

/* The mean of the losses of all ranks at the first common step, where every rank of the job wrote one. */
struct ts_rank_means {
	bool known;
	double a, b;
};

struct ts_steps_list {
	const int64_t *items; /* ascending */
	size_t n;
};

struct ts_evidence {
	struct ts_span name_a, name_b; /* for commands; empty: A and B */
	struct ts_evidence_series *series;
	size_t n_series;
	struct ts_steps_list resumes_a, resumes_b; /* the first step of every segment but the first; of a child run its first step */
	struct ts_steps_list epochs;		   /* first steps of epochs, but the first one's */
	struct ts_batch_relation batches;	   /* of the rank whose batches differ first */
	struct ts_span samples;			   /* how the samples differ that were drawn for that batch; a clause, or empty */
	int64_t samples_step;			   /* the first whose indices differ, if there is a clause */
	struct ts_span batches_unknown;		   /* why nothing is known of it although they differ; a clause, or empty */
	enum ts_digest_time params_time, optimizer_time;
	bool rng_before_pass;			   /* the states of the generators are known to be those that a pass began with */
	uint32_t world_a, world_b;		   /* ranks of the job; 0: unknown */
	uint32_t ranks_a, ranks_b;		   /* that were recorded; 0: unknown */
	struct ts_moved moved;
	struct ts_rates_moved rates;
	struct ts_pattern_stride stride;
	struct ts_pattern_skips skips_a, skips_b;  /* of the rank whose loss scale or gradient norm says it */
	struct ts_pattern_return params_back[2], optimizer_back[2]; /* of each run, where they first differ */
	struct ts_pattern_report report;	   /* of every loss that differs */
	struct ts_pattern_noise noise;		   /* of the loss that differs first, from there on */
	bool ranks_exchanged;			   /* each rank of one run has the bits of another rank of the other run */
	struct ts_rank_means means;
	uint32_t others_same;			   /* numbers of no known kind that vary and agree bit for bit over all common steps */
	struct ts_span other_same;		   /* the name of one */
	bool rewards;				   /* a number of both is named after a reward or an episode: they make their data */
	struct ts_span unrated;			   /* a number that differs first of those of which nobody knows whether they follow
						    * from the training; empty: none does */
	int64_t unrated_step;
	bool first_steps_known;
	int64_t first_step_a, first_step_b;
	bool same_length;			   /* both have as many steps: a resumed run has fewer than its parent */
	const struct ts_fact_row *facts;	   /* that differ */
	size_t n_facts;
	const struct ts_facts *facts_a, *facts_b;  /* sorted; NULL: no facts */
	struct ts_repeats_seen repeats;
	const struct ts_op_diff *ops;		   /* NULL, or none in it: no digests of operations, or none differ */
	const struct ts_sketch_diff *sketches;	   /* NULL: no sketches were compared */
};

#endif
