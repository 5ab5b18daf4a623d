/* memory_diff.h - what grew between two snapshots: who holds more at the peak and at the end, what is new and what is gone.
 *
 * Devices are paired by number. A row is a stack, by the content of its frames: file, function and line. Stacks that one side alone
 * has are paired once more without the lines and without what wraps modules, as edited code moves them (TS_MATCH_LINES, stack_pairs.h);
 * then several stacks of a side may be one row. What has no stack, because it was there before recording or stacks were not recorded,
 * is a row of its own. So the rows of a moment add up to its difference, to the byte. Bytes are requested ones. A kind is that of most
 * bytes, on the side that holds more.
 *
 * `ratio` is the largest tensor of B over the largest of A, as how far a tensor scales with batch or sequence: it is known where both
 * sides have the row and both tensors have more than 1 MB, below which Axolotl's script does not look either.
 *
 * A file that ends too early, or is damaged, may lack what would differ: `lacking` says first what that is, and the two are never
 * the same. Kinds go by what happens to a block: where a side has no history, sums by kind are known of neither.
 *
 * Texts are the snapshots', which must outlive the answer; all other memory is the arena's. Pure; any thread.
 */
#ifndef TSCOPE_ANALYSIS_SNAPSHOT_MEMORY_DIFF_H
#define TSCOPE_ANALYSIS_SNAPSHOT_MEMORY_DIFF_H

#include "analysis/snapshot/fragments.h"
#include "analysis/snapshot/memory_answer.h"

enum { TS_MEMORY_RATIO_FROM = 1000000 };

enum ts_memory_match {
	TS_MATCH_STACK,	 /* the same stack */
	TS_MATCH_LINES,	 /* the same but for line numbers and what wraps modules */
	TS_MATCH_ONLY_A, /* gone */
	TS_MATCH_ONLY_B, /* new */
};

struct ts_memory_diff_sum {
	uint64_t bytes, count, largest;
	int64_t line; /* of the source; 0: not known, or several */
};

struct ts_memory_diff_row {
	enum ts_memory_match match;
	enum ts_memory_kind kind;
	struct ts_span function, file; /* the source (origin.h); empty: not known where from */
	struct ts_span calls;	       /* its Python frames; of B if B has it */
	struct ts_span operators;      /* of at::_ops, that its innermost frame of Python called: "einsum < bmm", the outermost first */
	struct ts_memory_diff_sum a, b;
	int64_t difference;
	bool scales; /* ratio is known */
	double ratio;
};

struct ts_memory_diff_kind {
	enum ts_memory_kind kind;
	uint64_t a, b;
	int64_t difference;
};

struct ts_memory_diff_moment {
	bool known; /* both sides have it: the peak is that of the events */
	uint64_t a, b;
	int64_t difference;
	struct ts_memory_diff_row *rows; /* by the size of the difference, the largest first; those without one come last */
	size_t n, n_differ;
	struct ts_memory_diff_kind kinds[TS_MEMORY_KINDS];
};

/* One number of both sides. */
struct ts_memory_diff_gauge {
	const char *name; /* "reserved" */
	bool known_a, known_b;
	uint64_t a, b;
};

enum { TS_MEMORY_GAUGES = 9 };

struct ts_memory_diff_device {
	uint64_t device;
	struct ts_memory_diff_gauge gauges[TS_MEMORY_GAUGES];
	struct ts_memory_diff_moment peak, end;
	struct ts_span sentence; /* what it comes to */
};

struct ts_memory_diff {
	const char *path_a, *path_b;	       /* for the caller to set */
	struct ts_memory_diff_device *devices; /* that both have */
	size_t n;
	uint64_t only_a, only_b; /* devices that one has alone */
	bool same;		 /* no number of any device differs, and neither file is cut */
	struct ts_span lacking;	 /* what a cut or damaged file may lack, in sentences; empty: neither is */
};

/* Those of the snapshots of two runs. */
struct ts_memory_diffs {
	struct ts_memory_diff *items;
	size_t n;
	uint64_t left_a, left_b; /* snapshots that have no pair */
};

enum ts_status ts_memory_diff(const struct ts_snapshot *a, const struct ts_snapshot *b, struct ts_arena *arena,
			      struct ts_memory_diff *ret_diff, struct ts_error *err);

const char *ts_memory_match_word(enum ts_memory_match match);

/* What tells row i from the rows around it with the same source: the innermost call of its stack that none of them has at that depth,
 * "forward (net.py:9)"; or the operator, "bmm", in which it differs from those with the same calls. Empty where no such row is among
 * the first TS_MEMORY_DIFF_NEAR of the moment. */
enum { TS_MEMORY_DIFF_NEAR = 64 };
struct ts_memory_diff_apart {
	struct ts_span call, operator;
	bool within; /* the source called it, and not it the source */
};
struct ts_memory_diff_apart ts_memory_diff_apart(const struct ts_memory_diff_moment *m, size_t i);

#endif
