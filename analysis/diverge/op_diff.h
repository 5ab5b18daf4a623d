/* op_diff.h - in which operation two runs first differ: digests of named tensors and operations, in execution order.
 *
 *	ts_op_executions_add(&all, steps, n, arena, err)	the steps of a rank's records, block by block
 *	ts_op_executions_settle(&all)				which records of each step count
 *
 *	ts_op_walk_init(&walk, rank, scratch)
 *	ts_op_walk_step(&walk, step, &a, &b, err)		for each step that both recorded, ascending
 *	ts_op_diff_add(&diff, &walk, arena, err)		for each rank
 *
 * A record is (step, rank, ordinal within the step, name, occurrence of that name in the step, digest of the inputs, digest of
 * the outputs). Records are aligned by identity (name and occurrence), never by order of arrival. The culprit is the first, in
 * execution order of the first run, whose inputs agree and whose output differs; those whose inputs differ already received the
 * difference.
 * Only one step of a rank is looked at at a time; where the order of its names is not the same in both runs, aligning takes
 * some 50 bytes a record of scratch. Time grows with the records alone, but where occurrences are said in no order: n log n.
 */
#ifndef TSCOPE_ANALYSIS_DIVERGE_OP_DIFF_H
#define TSCOPE_ANALYSIS_DIVERGE_OP_DIFF_H

#include "base/arena.h"

/* ONLY_A, ONLY_B: the other run lacks it: it was removed or inserted. MOVED: both have it, in another order. */
enum ts_op_role { TS_OP_ORIGIN = 1, TS_OP_RECEIVER = 2, TS_OP_ONLY_A = 3, TS_OP_ONLY_B = 4, TS_OP_MOVED = 5 };

/* Of one rank: where it first differs. In the first step at which it does, that is the first origin, or the first record that
 * differs where no origin is among them. */
struct ts_op_row {
	int32_t rank;
	enum ts_op_role role; /* ORIGIN: inputs agree, output differs. RECEIVER: already its inputs differ */
	int64_t step;
	uint64_t ordinal;     /* in the first run; of ONLY_B in the second */
	struct ts_span name;  /* "layers.3.attn", "allreduce" */
	uint64_t occurrence;
	bool has_inputs;      /* digests of inputs were recorded: without them a role is a guess, and RECEIVER is said */
	uint64_t in_a, in_b, out_a, out_b; /* in_*: valid if has_inputs; of ONLY_A and ONLY_B those of that run alone */
	struct ts_span after; /* ONLY_A, ONLY_B, MOVED: the record before it in that run; empty: it is the first of its step */
};

struct ts_op_diff {
	struct ts_op_row *rows; /* by step, ordinal, rank: one per rank that differs */
	size_t n;
	uint64_t compared;	/* records that both have */
	uint64_t only_a, only_b; /* records whose name and occurrence the other lacks, within steps that both recorded */
	bool reordered;		/* the order of common records differs somewhere */
	struct ts_op_row *apart; /* the first of each rank that one run alone has or that was moved, by step, ordinal, rank */
	size_t n_apart;
};

const char *ts_op_role_word(enum ts_op_role role); /* "origin", "receiver" */

/* The row to speak of first: the first origin of the earliest step at which any rank differs; without one the first row of
 * all, which received a difference from what was not recorded. NULL without rows. */
const struct ts_op_row *ts_op_culprit(const struct ts_op_diff *diff);
/* The row of `apart` that may be why operations differ: no row differs in a step before its own. NULL: none. */
const struct ts_op_row *ts_op_inserted(const struct ts_op_diff *diff);
/* "only the second run has the operation aten.mul (occurrence 0) at step 0, behind b": a clause; empty when the arena is full. */
struct ts_span ts_op_apart_says(const struct ts_op_row *row, struct ts_arena *arena);
/* "its inputs agree, but its output differs": what the role of the row says, as a clause. */
const char *ts_op_role_says(const struct ts_op_row *row);

/* --- which records of a step count --- */

/* Records of one step that were written one after the other. */
struct ts_op_execution {
	int64_t step;
	uint64_t first; /* among the records of the rank */
	uint64_t n;
};

struct ts_op_executions {
	struct ts_op_execution *items;
	size_t n, cap;
	uint64_t records; /* added so far */
	bool back;	  /* a step went back: training was restarted */
};

/* The steps of the records that come next. The items lie in the arena. */
enum ts_status ts_op_executions_add(struct ts_op_executions *all, const int64_t *steps, size_t n, struct ts_arena *arena,
				    struct ts_error *err);
/* Ascending by step; of each step the last execution alone. */
void ts_op_executions_settle(struct ts_op_executions *all);

/* --- one rank, step by step --- */

#define TS_OP_COUNTED UINT64_MAX

/* Of one step of one run, in execution order; arrays of n. */
struct ts_op_records {
	const uint32_t *names;	     /* numbers that both runs share: equal names have equal ones */
	const uint64_t *occurrences; /* TS_OP_COUNTED: not said, so as many as records of that name came before */
	const bool *has_in;
	const uint64_t *in; /* where has_in */
	const uint64_t *out;
	size_t n;
};

struct ts_op_walk {
	struct ts_arena *scratch;
	bool parts;
	struct ts_op_row row; /* if parts; its name is the caller's to fill in: that of number row_name */
	uint32_t row_name;
	bool has_apart;
	struct ts_op_row apart; /* if has_apart; its names are those of the numbers apart_name and, where has_after, after_name */
	uint32_t apart_name, after_name;
	bool has_after;
	uint64_t compared, only_a, only_b;
	bool reordered;
};

/* scratch is reset at every step. */
void ts_op_walk_init(struct ts_op_walk *walk, int32_t rank, struct ts_arena *scratch);
/* Of the rows that are found only the numbers of their names are known. */
enum ts_status ts_op_walk_step(struct ts_op_walk *walk, int64_t step, const struct ts_op_records *a,
			       const struct ts_op_records *b, struct ts_error *err);
/* A rank that was walked to its end, and the name of its row. Rows lie in the arena, the name is copied there. */
enum ts_status ts_op_diff_add(struct ts_op_diff *diff, const struct ts_op_walk *walk, struct ts_arena *arena,
			      struct ts_error *err);

#endif
