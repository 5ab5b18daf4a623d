/* op_diff.h - in which operation two runs part first: digests of named tensors and operations, in execution order.
 *
 * A record is (step, rank, ordinal within the step, name, occurrence of that name in the step, digest of the inputs, digest of the
 * outputs). Records are aligned by identity (name and occurrence), never by order of arrival. The culprit is the first, in execution order of
 * the first run, whose inputs agree and whose output differs; those whose inputs differ already received the difference.
 */
#ifndef TSCOPE_ANALYSIS_OP_DIFF_H
#define TSCOPE_ANALYSIS_OP_DIFF_H

#include "base/arena.h"

enum ts_op_role { TS_OP_ORIGIN = 1, TS_OP_RECEIVER = 2 };

/* Of one rank: where it parts first. */
struct ts_op_row {
	int32_t rank;
	enum ts_op_role role; /* ORIGIN: inputs agree, output differs. RECEIVER: already its inputs differ */
	int64_t step;
	uint64_t ordinal;     /* in the first run */
	struct ts_span name;  /* "layers.3.attn", "allreduce" */
	uint64_t occurrence;
	bool has_inputs;      /* digests of inputs were recorded: without them a role is a guess, and RECEIVER is said */
	uint64_t in_a, in_b, out_a, out_b;
};

struct ts_op_diff {
	struct ts_op_row *rows; /* by step, ordinal, rank: one a rank that parts */
	size_t n;
	uint64_t compared;	/* records that both have */
	uint64_t only_a, only_b; /* records whose name and occurrence the other lacks, within steps that both recorded */
	bool reordered;		/* the order of common records differs somewhere */
};

#endif
