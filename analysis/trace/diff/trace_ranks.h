/* trace_ranks.h - what differs between the traces of two jobs, rank by rank: which are pairs, and which pair differs most.
 *
 *	ts_rank_diff_pairs(a, n_a, b, n_b, arena, &d, err)
 *	for each pair: ts_trace_diff(...), ts_rank_diff_take(&d, i, &diff)
 *	ts_rank_diff_judge(&d, arena, err)
 *
 * A trace of A is compared with that of B of the same rank: the one of the same name, else the first that is left; the only one of a
 * job with the only one of the other, whatever their ranks. Traces that do not say their rank are pairs by name alone. The pair that
 * differs most is the one whose step's difference stands out and is largest; else the first in which anything stands out; else the
 * first.
 *
 * All memory is the arena's; names are the caller's. Pure; one thread at a time.
 */
#ifndef TSCOPE_ANALYSIS_TRACE_DIFF_TRACE_RANKS_H
#define TSCOPE_ANALYSIS_TRACE_DIFF_TRACE_RANKS_H

#include "analysis/trace/diff/trace_diff.h"
#include "analysis/trace/ranks/job.h"

struct ts_rank_trace {
	const char *name;
	int64_t rank; /* valid if has_rank */
	bool has_rank;
	size_t at; /* for the caller */
};

struct ts_rank_pair {
	struct ts_rank_trace a, b;
	struct ts_trace_diff_row step; /* its name is not valid beyond ts_rank_diff_take */
	enum ts_trace_diff_verdict verdict;
};

struct ts_rank_alone {
	struct ts_rank_trace trace;
	bool in_b;
};

struct ts_rank_files { /* of a folder, for the caller to set */
	const char *path;
	const struct ts_job_file *files;
	size_t n;
};

struct ts_rank_diff {
	struct ts_rank_files a, b;
	struct ts_rank_pair *pairs; /* by rank */
	size_t n;
	struct ts_rank_alone *alone; /* traces without one of the other side: of A, then of B */
	size_t n_alone;
	size_t taken;
	size_t worst;			    /* of pairs; valid if n > 0 */
	struct ts_trace_diff diff;	    /* of the worst */
	bool has_diff;			    /* n > 0 */
	enum ts_trace_diff_verdict verdict; /* of all: they differ if one pair does; undecided if there is none */
	struct ts_span sentence;	    /* what it comes to */
};

enum ts_status ts_rank_diff_pairs(const struct ts_rank_trace *a, size_t n_a, const struct ts_rank_trace *b, size_t n_b,
				  struct ts_arena *arena, struct ts_rank_diff *ret, struct ts_error *err);
/* Takes what differs in the next pair. Returns whether it is the worst so far, and then kept: its memory must live on, and that of the
 * worst before may go. */
bool ts_rank_diff_take(struct ts_rank_diff *io, const struct ts_trace_diff *diff);
enum ts_status ts_rank_diff_judge(struct ts_rank_diff *io, struct ts_arena *arena, struct ts_error *err);

#endif
