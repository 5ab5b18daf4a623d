/* run_facts.h - the facts of one rank from all their sources (run.json, facts.json, --fact, the host), and which of
 * them go into its index.
 *
 * Who is heard: the pusher and the host (given), the rank's own run.json and facts.json, then those beside the rank
 * directories. Of one source the nearer one wins, key by key; a list is one value. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_FACTS_RUN_FACTS_H
#define TSCOPE_INGEST_FACTS_RUN_FACTS_H

#include "ingest/core/notice.h"
#include "run/index.h"

/* Reads run.json and facts.json of a directory, sorted. A run.json that cannot be read is a notice, a facts.json an error.
 * notices may be NULL. */
enum ts_status ts_facts_read_dir(const char *path, struct ts_span name, struct ts_notices *notices,
				 struct ts_arena *arena, struct ts_facts *ret_facts, struct ts_error *err);
/* near, and those of far that near says nothing about, by source. Both sorted. */
enum ts_status ts_facts_merge(const struct ts_facts *near, const struct ts_facts *far, struct ts_arena *arena,
			      struct ts_facts *ret_facts, struct ts_error *err);
/* Leaves out what is too long (notice), counts what is redacted (notice), and turns long texts into TS_FACT_LONG, whose
 * `text` stays until they are given to the sink. */
enum ts_status ts_facts_prepare(struct ts_facts *facts, struct ts_span file, struct ts_notices *notices,
				struct ts_error *err);
/* Gives the long texts to the sink. */
enum ts_status ts_facts_sink_long(const struct ts_facts *facts, ts_object_sink *sink, void *ctx, struct ts_error *err);

#endif
