/* diff_stored.h - the traces of two runs that were pushed, rank by rank: what `tscope diff RUN1 RUN2` says of them.
 *
 * A trace of A is compared with that of B of the same rank: the one of the same name, else the first that is left; the only one of a
 * run with the only one of the other, whatever their ranks. Each pair is read,
 * compared and freed before the next; only the worst is kept whole: the one whose step's difference stands out and is largest, else
 * the first.
 */
#ifndef TSCOPE_CLI_TRACE_DIFF_STORED_H
#define TSCOPE_CLI_TRACE_DIFF_STORED_H

#include "analysis/trace/trace_diff.h"
#include "cli/core/context.h"

struct ts_stored_pair {
	int32_t rank; /* in whose files they stand, or TS_RANK_JOB */
	struct ts_trace_diff_row step;
	enum ts_trace_diff_verdict verdict;
};

struct ts_stored_diff {
	struct ts_stored_pair *pairs; /* by rank */
	size_t n;
	size_t unpaired;		    /* traces of one run without one of the other */
	size_t worst;			    /* of pairs; valid if n > 0 */
	struct ts_trace_diff diff;	    /* of the worst */
	enum ts_trace_diff_verdict verdict; /* of all: they differ if one pair does */
};

/* n is 0 where a run has no traces. */
enum ts_status ts_stored_diff(struct ts_cli *cli, const struct ts_id *a, const struct ts_id *b, struct ts_stored_diff *ret,
			      struct ts_error *err);
/* As a section behind what is said of the runs' steps; or, alone, as the whole answer. */
enum ts_status ts_stored_diff_section(struct ts_cli *cli, const struct ts_stored_diff *d, struct ts_error *err);
enum ts_status ts_stored_diff_alone(struct ts_cli *cli, const struct ts_stored_diff *d, struct ts_error *err);
int ts_trace_diff_exit(enum ts_trace_diff_verdict verdict);

#endif
