/* run_facts.h - gathers the facts of one rank from all their sources (run.json, facts.json, --fact, the host), and prepares
 * them for its index.
 *
 * The sources are the pusher and the host (given), the rank's own run.json and facts.json, then those beside the rank
 * directories. Of two files of one source the nearer one wins, key by key; a list is one value. Threads: one at a time.
 */
#ifndef TSCOPE_INGEST_FACTS_RUN_FACTS_H
#define TSCOPE_INGEST_FACTS_RUN_FACTS_H

#include "ingest/core/notice.h"
#include "run/index.h"

/* Reads run.json, facts.json and launch.json of a directory below top (base/below.h); the facts are sorted. A run.json that cannot be
 * read gives a notice, such a facts.json or launch.json an error. Where facts.json and launch.json say the same, facts.json counts.
 * notices may be NULL. */
enum ts_status ts_facts_read_dir(const char *top, const char *path, struct ts_span name, struct ts_notices *notices,
				 struct ts_arena *arena, struct ts_facts *ret_facts, struct ts_error *err);
/* The same of the files that have these names: those of a further attempt. */
enum ts_status ts_facts_read_files(const char *top, const char *path, struct ts_span name, const char *run_json,
				   const char *facts_json, struct ts_notices *notices, struct ts_arena *arena,
				   struct ts_facts *ret_facts, struct ts_error *err);
/* Merges near with those facts of far that near does not have, source by source. Both are sorted. */
enum ts_status ts_facts_merge(const struct ts_facts *near, const struct ts_facts *far, struct ts_arena *arena,
			      struct ts_facts *ret_facts, struct ts_error *err);
/* Leaves out facts that are too long (a notice), counts redacted ones (a notice), and turns long texts into TS_FACT_LONG, which
 * keep their `text` until it is given to the sink. Facts for which a run has no room are folded (fold.h). */
enum ts_status ts_facts_prepare(struct ts_facts *facts, struct ts_span file, struct ts_notices *notices,
				struct ts_arena *arena, struct ts_error *err);
/* Gives the long texts to the sink. */
enum ts_status ts_facts_sink_long(const struct ts_facts *facts, ts_object_sink *sink, void *ctx, struct ts_error *err);

#endif
