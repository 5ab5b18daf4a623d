/* serve_columns.h - columns of a run as numbers, for the Python package: what there is as JSON, and then the bytes, through a
 * descriptor of their own, since a text of ten million numbers would take seconds to write and to read.
 *
 * For each column that the JSON names, in that order: the steps (int64) if they were asked for, then the values: float64, uint64, or of
 * a text its length in bytes (uint64) and then its bytes, in UTF-8. Each comes in chunks (value_chunks.h), which are the blocks of the
 * run; of a text, a chunk of lengths and a chunk of bytes for each block.
 */
#ifndef TSCOPE_CLI_VERBS_SERVE_COLUMNS_H
#define TSCOPE_CLI_VERBS_SERVE_COLUMNS_H

#include "cli/core/context.h"
#include "cli/verbs/value_chunks.h"

struct ts_columns_wanted {
	const char *run;
	const char **names; /* of columns; none: what there is, without bytes */
	size_t n;
	bool all_ranks; /* of each column; else the lowest rank that has it, or `rank` */
	bool has_rank;
	int32_t rank;
	bool steps;
	struct ts_value_stream to;
};

/* params: the JSON of an object with run, columns, ranks ("all" or a number) and steps. TS_INVALID where it lacks what it needs. */
enum ts_status ts_columns_wanted_read(struct ts_span params, struct ts_arena *arena, struct ts_columns_wanted *ret,
				      struct ts_error *err);

/* As the function of a verb. An error before anything was said; one that comes later is said among the bytes. */
enum ts_status ts_columns_send(struct ts_cli *cli, void *wanted, struct ts_error *err);

#endif
