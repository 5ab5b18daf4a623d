/* diff_ranks.h - the traces of two jobs rank by rank: what those of two runs and those of two folders share.
 *
 * Each pair is read, compared and freed before the next; only what differs in the worst is kept whole.
 */
#ifndef TSCOPE_CLI_TRACE_DIFF_RANKS_H
#define TSCOPE_CLI_TRACE_DIFF_RANKS_H

#include "analysis/trace/diff/trace_ranks.h"
#include "cli/core/context.h"

/* Reads and compares a pair. All that *ret has must lie in the arena. */
typedef enum ts_status ts_compare_pair(struct ts_cli *cli, const void *from, const struct ts_rank_pair *pair, struct ts_arena *arena,
				       struct ts_trace_diff *ret, struct ts_error *err);

/* Compares all pairs of ts_rank_diff_pairs, and judges. */
enum ts_status ts_diff_ranks(struct ts_cli *cli, ts_compare_pair *compare, const void *from, struct ts_rank_diff *io,
			     struct ts_error *err);
/* "rank 2", "the job", or the name of a trace that does not say its rank. NULL: no memory, which the arena remembers. */
const char *ts_rank_words(struct ts_cli *cli, const struct ts_rank_trace *trace);
/* A row for each pair, if there are several, and which traces are on one side only. */
enum ts_status ts_ranks_text(struct ts_cli *cli, const struct ts_rank_diff *d, struct ts_error *err);
int ts_trace_diff_exit(enum ts_trace_diff_verdict verdict);

/* `tscope diff ./folderA ./folderB`: diff_folder.c. Sets the exit code, as ts_diff_traces does. */
enum ts_status ts_diff_trace_folders(struct ts_cli *cli, const char *path_a, const char *path_b, struct ts_error *err);

#endif
