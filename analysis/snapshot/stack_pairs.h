/* stack_pairs.h - which stacks of two snapshots are the same, by the content of their frames.
 *
 * Each stack of both gets a number: two stacks have one `exact` number if their files, functions and lines agree, and one `loose`
 * number if their files and functions do, without what wraps modules: frames of torch's Module and of DDP, FSDP, torch.compile and
 * their like around the first Python frame that is none of these, and without what names of generated code have of one shape alone:
 * digests of Inductor's files, numbers of Dynamo's functions. TS_SNAPSHOT_NONE, a stack that is not known, has the number of no frames
 * at all, 0. Texts and frames are compared once each. n log n. Memory is the arena's. Pure; any thread.
 */
#ifndef TSCOPE_ANALYSIS_SNAPSHOT_STACK_PAIRS_H
#define TSCOPE_ANALYSIS_SNAPSHOT_STACK_PAIRS_H

#include "base/arena.h"
#include "run/snapshot.h"

struct ts_stack_pairs {
	uint32_t *exact[2], *loose[2]; /* by stack; from 1 on */
	uint32_t n_exact, n_loose;     /* the largest number and 1 */
};

enum ts_status ts_stack_pairs(const struct ts_snapshot *a, const struct ts_snapshot *b, struct ts_arena *arena,
			      struct ts_stack_pairs *ret_pairs, struct ts_error *err);

#endif
