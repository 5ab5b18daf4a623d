/* facts_json.h - JSON objects to facts: run.json by a table of its known keys, facts.json by groups, --fact by hand. */
#ifndef TSCOPE_INGEST_FACTS_FACTS_JSON_H
#define TSCOPE_INGEST_FACTS_FACTS_JSON_H

#include "ingest/core/notice.h"
#include "run/fact.h"

/* run.json: config.* -> config; environment's keys by a table -> libraries, hardware, determinism; name, started,
 * wall_time, n_steps -> session; rank, world_size -> parallelism; flops_per_step, peak_flops -> work; everything else
 * -> other. Values under secret-looking keys (password, token, secret, api_key, credential, private_key, ...) become
 * "<redacted>". Text is copied into the arena. Of equal keys of one object the last counts; *repeated, which may be NULL, grows by
 * the number of values that were left out for that. */
enum ts_status ts_facts_from_run_json(struct ts_span json, struct ts_arena *arena, struct ts_facts *facts,
				      uint64_t *repeated, struct ts_error *err);
/* facts.json: {"group": {...}}; an unknown group is TS_INVALID with its name, except the keys "format", "source", "sources" and
 * "paths". repeated as above. */
enum ts_status ts_facts_from_json(struct ts_span json, enum ts_fact_source source, struct ts_arena *arena,
				  struct ts_facts *facts, uint64_t *repeated, struct ts_error *err);
/* "group.key=value": value is JSON if it parses as a JSON scalar, else text. */
enum ts_status ts_fact_from_arg(struct ts_span arg, enum ts_fact_source source, struct ts_arena *arena,
				struct ts_fact *ret_fact, struct ts_error *err);
/* The effective facts, sorted, back to nested JSON, as facts.json wants it: read again they are the same, where no path is longer
 * than TS_PATH_MAX. What does not nest (facts_write.h) stands below "paths". */
void ts_facts_to_json(const struct ts_facts *facts, struct ts_buf *out);

#endif
