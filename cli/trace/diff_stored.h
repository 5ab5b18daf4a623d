/* diff_stored.h - the traces of two runs that were pushed, rank by rank: what `tscope diff RUN1 RUN2` says of them. Each pair is read,
 * compared and freed before the next (analysis/trace/diff/trace_ranks.h).
 */
#ifndef TSCOPE_CLI_TRACE_DIFF_STORED_H
#define TSCOPE_CLI_TRACE_DIFF_STORED_H

#include "analysis/trace/diff/trace_ranks.h"
#include "cli/core/context.h"

/* n is 0 where a run has no traces. */
enum ts_status ts_stored_diff(struct ts_cli *cli, const struct ts_id *a, const struct ts_id *b, struct ts_rank_diff *ret,
			      struct ts_error *err);
/* As a section behind what is said of the runs' steps; or, alone, as the whole answer. */
enum ts_status ts_stored_diff_section(struct ts_cli *cli, const struct ts_rank_diff *d, struct ts_error *err);
enum ts_status ts_stored_diff_alone(struct ts_cli *cli, const struct ts_rank_diff *d, struct ts_error *err);

#endif
