/* run_json.h - the table between the keys of run.json and the paths of facts, in both directions. */
#ifndef TSCOPE_INGEST_FACTS_RUN_JSON_H
#define TSCOPE_INGEST_FACTS_RUN_JSON_H

#include "run/fact.h"

/* The path of a key of run.json: known ones by a table, config.* as it is, everything else below "other". Appended to an
 * empty path. section is "" or "environment". */
void ts_run_json_path(struct ts_buf *path, const char *section, struct ts_span key);
/* The way back: the path inside run.json of a fact that came from it. */
enum ts_status ts_run_json_key(struct ts_span path, struct ts_arena *arena, struct ts_span *ret_key,
			       struct ts_error *err);
/* Whether a run.json with the fact at that key gives back that fact: not where facts of two documents come together and
 * one says `config` is a number, or where somebody else used the name run.json. */
enum ts_status ts_run_json_fits(const struct ts_fact *fact, struct ts_span key, struct ts_arena *arena, bool *ret_fits,
				struct ts_error *err);

#endif
