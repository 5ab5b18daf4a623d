/* run_close.h - the end of every reader: it adds the facts that were given, writes the head, and fills the result. */
#ifndef TSCOPE_INGEST_ROWS_RUN_CLOSE_H
#define TSCOPE_INGEST_ROWS_RUN_CLOSE_H

#include "ingest/core/reader.h"
#include "ingest/core/sink_count.h"
#include "run/builder.h"
#include "run/head.h"

/* Returns the facts of the pusher and the host, sorted. options->facts may be NULL. */
enum ts_status ts_given_facts(const struct ts_ingest_options *options, struct ts_arena *arena, struct ts_facts *ret_facts,
			      struct ts_error *err);
/* With options->strict, fails with TS_INVALID and names the first skipped input, if any was skipped. */
enum ts_status ts_refuse_skipped(const struct ts_ingest_options *options, const struct ts_notices *notices, struct ts_error *err);
/* Adds the rows of a rank to the result; files: how many of its files were kept. */
void ts_result_count(struct ts_ingest_result *result, const struct ts_builder *b, size_t files);
/* Gives the head to the sink and fills what the result takes from it: its id, facts, own name, world size, ranks that are
 * missing. */
enum ts_status ts_run_close(struct ts_head *head, struct ts_sink_count *sink, struct ts_arena *arena, struct ts_ingest_result *result,
			    struct ts_error *err);

#endif
