/* facts_json.h - makes facts of JSON objects (run.json by a table of its known keys, facts.json by groups) and of --fact options,
 * and writes facts as JSON again. */
#ifndef TSCOPE_INGEST_FACTS_FACTS_JSON_H
#define TSCOPE_INGEST_FACTS_FACTS_JSON_H

#include "ingest/core/notice.h"
#include "run/fact.h"

/* Reads run.json. Its keys go to these groups: config.* to config; those of environment, by a table, to libraries, hardware and
 * determinism; name, started, wall_time, n_steps to session; rank, world_size to parallelism; flops_per_step, peak_flops to work;
 * all others to other. Values under keys that look secret (password, token, secret, api_key, credential, private_key, ...) become
 * "<redacted>". Text is copied into the arena. If a key occurs twice in one object, the last value counts; *repeated, which may be
 * NULL, grows by the number of values that were left out for this reason. */
enum ts_status ts_facts_from_run_json(struct ts_span json, struct ts_arena *arena, struct ts_facts *facts,
				      uint64_t *repeated, struct ts_error *err);
/* Reads facts.json, {"group": {...}}. An unknown group is TS_INVALID, whose text names it; the keys "format", "source",
 * "sources" and "paths" are allowed. repeated is as above. */
enum ts_status ts_facts_from_json(struct ts_span json, enum ts_fact_source source, struct ts_arena *arena,
				  struct ts_facts *facts, uint64_t *repeated, struct ts_error *err);
/* Reads "group.key=value". The value is JSON if it parses as a JSON scalar, else text. */
enum ts_status ts_fact_from_arg(struct ts_span arg, enum ts_fact_source source, struct ts_arena *arena,
				struct ts_fact *ret_fact, struct ts_error *err);
/* Writes the effective ones of sorted facts as nested JSON in the form of facts.json. Reading it gives the same facts, if no
 * path is longer than TS_PATH_MAX. Facts that do not nest (facts_write.h) stand below "paths". */
void ts_facts_to_json(const struct ts_facts *facts, struct ts_buf *out);

#endif
