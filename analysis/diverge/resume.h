/* resume.h - did a run go on correctly from a checkpoint? Decided from what both executed after it.
 *
 * a is the run that was not interrupted (or what was executed before the restart), b the one that was resumed. Series are
 * paired by step, from the step of the resume on. What is asked, in this order:
 *
 *	records		of parts of the state, by the table of resume_parts.c: one that was not restored is a fault whatever the
 *			loss says, and no part is blamed whose record agrees
 *	losses		within the limit of their step: 1e-6 at the resume where training is in fp32, 1e-3 in a reduced format,
 *			growing as rounding may, to 5e-3 at most; of those after the first TS_RESUME_FIRST a quarter may lie
 *			beyond it. Where the format is not known both answers must be the same
 *	the rest	nothing that was compared differs by more than that. A run is never "resumed correctly" while something
 *			differs that no rounding explains
 *
 * r = |a - b| / max(|a|, |b|). A difference of one unit of the last written digit is none where it is seldom (at most at a quarter
 * of the points). A loss that is off at the resume itself: other data if its ups and downs are not the parent's, state if they
 * are; one step later, so that the first forward pass was right: optimizer, schedule or scaler. Source: docs/divergence.md,
 * measured signatures.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_RESUME_H
#define TSCOPE_ANALYSIS_DIVERGE_RESUME_H

#include "analysis/answer/diagnosis.h"
#include "analysis/diverge/evidence.h"
#include "run/ending.h"

enum {
	TS_RESUME_FIRST = 2,   /* common points at the resume that must agree: an optimizer's state shows at the second */
	TS_RESUME_WINDOW = 52, /* common points that are looked at */
	TS_RESUME_ENOUGH = 10, /* common points without which agreement within a tolerance proves nothing */
	TS_RESUME_BITS = 3,    /* common points that suffice where every value agrees and would show a difference of 1e-4 */
	TS_RESUME_TAIL = 50,   /* losses of the parent before the resume, for the level of the loss */
	TS_RESUME_SHIFT = 8,   /* batches that are looked for in the other run */
};

/* The verdict is the exit code. */
enum ts_resume_verdict { TS_RESUME_CORRECT = 0, TS_RESUME_WRONG = 1, TS_RESUME_UNDECIDED = 3 };

enum ts_resume_kind {
	TS_RESUME_LOSS,
	TS_RESUME_GRAD_NORM,
	TS_RESUME_RATE,   /* learning rate */
	TS_RESUME_SCALE,  /* of a gradient scaler */
	TS_RESUME_COUNT,  /* of samples, tokens, epochs */
	TS_RESUME_EVAL,	  /* loss or score of an evaluation */
	TS_RESUME_SCALAR, /* any other number of the trajectory */
	TS_RESUME_BATCH,  /* digests, from here on */
	TS_RESUME_PARAMS,
	TS_RESUME_OPTIMIZER,
	TS_RESUME_GRADS,
	TS_RESUME_RNG,
	TS_RESUME_DIGEST, /* any other */
	TS_RESUME_KINDS,
};

enum ts_resume_format { TS_FORMAT_UNKNOWN, TS_FORMAT_FULL, TS_FORMAT_REDUCED };

/* Where batches of b lie in a. */
enum ts_shift_answer {
	TS_SHIFT_UNKNOWN = 0,
	TS_SHIFT_FOUND,     /* all of them, `by` steps away */
	TS_SHIFT_SCATTERED, /* `seen` of them, in another order */
	TS_SHIFT_ABSENT,    /* none of them is in a */
};

struct ts_resume_shift {
	enum ts_shift_answer answer;
	int64_t by;	/* FOUND: b's batch of step s is a's of step s + by */
	size_t matched; /* FOUND */
	size_t seen;	/* SCATTERED */
	size_t of;	/* that were looked for */
};

/* One series that both have, at the steps that both have. */
struct ts_resume_series {
	enum ts_resume_kind kind;
	struct ts_span name;
	struct ts_span name_a;	      /* what a calls it, where that is another name; else empty */
	int32_t rank;
	const int64_t *steps; /* ascending, from the resume on */
	const double *a, *b;  /* numbers */
	const uint64_t *word_a, *word_b; /* digests */
	size_t n;
	double quantum;		      /* absolute, of the coarser side; 0 = doubles */
	enum ts_digest_time when;     /* digests: of before or after the update of their step, as both sides declare it */
	struct ts_resume_shift shift; /* BATCH, RATE: from the first step at which it differs */
};

/* The level of the loss on both sides of the resume, where no step is common. */
struct ts_resume_level {
	bool known;
	double before, after; /* medians of the parent's last ten and the child's first ten */
	double spread;	      /* of the parent's last TS_RESUME_TAIL: 1.4826 times the median distance from their median */
	int64_t last_step;    /* of the parent */
};

/* What a step takes. */
struct ts_resume_pace {
	bool known;
	double parent, child; /* s: medians */
	double child_fast;    /* s: the tenth percentile */
};

enum ts_resume_said { TS_RESUME_SAID_NOT = 0, TS_RESUME_SAID_FACT, TS_RESUME_SAID_SEGMENT, TS_RESUME_SAID_FIRST };

struct ts_resume_evidence {
	bool restart;	      /* both executions lie in one directory: the child is the parent */
	uint64_t restarts;    /* of it */
	enum ts_resume_said said; /* how the step of the resume is known; NOT: it is not */
	int64_t step;	      /* the first that was executed after the checkpoint was loaded */
	int64_t slack;	      /* steps before it of which the run has no record, and in which it may have been resumed */
	bool has_tolerance;   /* asked for: in place of those of the formats */
	double tolerance;
	enum ts_resume_format format;
	struct ts_span dtype; /* as it was declared; empty if it was not */
	const struct ts_resume_series *series;
	size_t n_series;
	struct ts_resume_level level;
	struct ts_resume_pace pace;
	bool wrote;	      /* the parent is said to have written the checkpoint */
	struct ts_span absent_parent; /* that the child names and that is not here; short */
	bool ranks_left_out;  /* more ranks are common than were looked at */
};

/* What a run shares with the one that it continues, by the ids of blocks alone. */
struct ts_lineage {
	bool named;		/* the child says lineage.parent */
	struct ts_span parent;	/* what it says */
	bool found;		/* that run is here */
	struct ts_id id;	/* of it */
	bool has_step;		/* lineage.resumed_step */
	int64_t step;
	uint64_t blocks, shared_blocks; /* of the child's trajectory, over ranks and columns */
	bool prefix;		/* every column of the trajectory begins with shared blocks */
	int64_t prefix_first, prefix_last; /* steps that all of them share */
};

struct ts_resume {
	struct ts_run_ref parent, child; /* one and the same for a restart */
	bool restart;
	uint64_t restarts;
	enum ts_resume_verdict verdict;
	struct ts_diagnosis why; /* step: of the resume; features: group "resume", subjects are series */
	struct ts_lineage lineage;
	struct ts_ending ending_parent, ending_child; /* of a restart: the child's alone */
	struct ts_span before; /* restart: what the directory recorded of an end before it, in a sentence; empty: nothing */
};

const char *ts_resume_word(enum ts_resume_verdict verdict); /* "correct", "wrong", "undecided" */

/* Where c, digests of consecutive steps of the child, lie in p. n_c > 0; at most TS_RESUME_SHIFT of them are looked for. */
void ts_resume_find_shift(const int64_t *steps_p, const uint64_t *p, size_t n_p, const int64_t *steps_c,
			  const uint64_t *c, size_t n_c, struct ts_resume_shift *ret);
/* From the parent's last losses and the child's first, both in the order of steps; not known where there are fewer than five.
 * False: out of memory. */
bool ts_resume_level_of(const struct ts_series *parent, const struct ts_series *child, struct ts_arena *arena,
			struct ts_resume_level *ret);
/* "bf16", "float32", ...: full or reduced precision; UNKNOWN for another word. */
enum ts_resume_format ts_resume_format_of(struct ts_span dtype);

/* Fills verdict and why of *ret. Texts lie in the arena; names of series are not copied. */
enum ts_status ts_resume_decide(const struct ts_resume_evidence *e, struct ts_arena *arena, struct ts_resume *ret,
				struct ts_error *err);

#endif
