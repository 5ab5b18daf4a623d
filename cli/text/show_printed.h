/* show_printed.h - what the processes of a run printed last, as tscope run kept it and a push took it (docs/run.md).
 */
#ifndef TSCOPE_CLI_TEXT_SHOW_PRINTED_H
#define TSCOPE_CLI_TEXT_SHOW_PRINTED_H

#include "cli/core/context.h"
#include "proto/wire.h"

/* One kept output. The text has whole lines without the sequences that colour or move a terminal, of a line that was overwritten the
 * last, and what else could move one is escaped. */
struct ts_printed {
	int32_t rank; /* TS_RANK_JOB: of the job */
	struct ts_span name, text;
	uint64_t size; /* bytes that are kept */
};

struct ts_printed_all {
	struct ts_printed *items;
	size_t n;
};

/* Those of the run, or of one rank of it. TS_NOT_FOUND: it has none. All lies in the arena. */
enum ts_status ts_printed_of(struct ts_cli *cli, const struct ts_get_reply *run, bool has_rank, int32_t rank,
			     struct ts_printed_all *ret, struct ts_error *err);
/* Each under a line that says whose it is, or the text alone where there is one. */
enum ts_status ts_printed_show(struct ts_cli *cli, const struct ts_printed_all *all, struct ts_error *err);

#endif
