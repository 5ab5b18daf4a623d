/* run_json.h - maps the keys of run.json to paths of facts by a table, and back. */
#ifndef TSCOPE_INGEST_FACTS_RUN_JSON_H
#define TSCOPE_INGEST_FACTS_RUN_JSON_H

#include "run/fact.h"

/* Writes the fact path of a key of run.json to path, which is empty: known keys by the table, config.* as it is, all others below
 * "other". section is "" or "environment". */
void ts_run_json_path(struct ts_buf *path, const char *section, struct ts_span key);
/* The reverse: the path inside run.json of a fact that came from it. */
enum ts_status ts_run_json_key(struct ts_span path, struct ts_arena *arena, struct ts_span *ret_key,
			       struct ts_error *err);
/* Whether reading a run.json with the fact at that key gives that fact again. It does not where the facts of two documents meet
 * and one says that `config` is a number, or where another writer gave its facts the source run.json. */
enum ts_status ts_run_json_fits(const struct ts_fact *fact, struct ts_span key, struct ts_arena *arena, bool *ret_fits,
				struct ts_error *err);

#endif
