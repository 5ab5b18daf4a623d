/* facts_write.h - facts back to JSON, nested where they nest. */
#ifndef TSCOPE_INGEST_FACTS_FACTS_WRITE_H
#define TSCOPE_INGEST_FACTS_FACTS_WRITE_H

#include "base/json_writer.h"
#include "run/fact.h"

/* Parts the effective ones of sorted facts, whose paths need not begin with a group: *ret_nested are those that nested JSON holds
 * together, *ret_beside the others, both sorted. Not nested is what lies below a value, a list that is an object too, a list
 * with a hole, and what has more levels than are read (TS_JSON_DEPTH). Arrays lie in the arena. */
enum ts_status ts_facts_nested(const struct ts_facts *facts, struct ts_arena *arena, struct ts_facts *ret_nested,
			       struct ts_facts *ret_beside, struct ts_error *err);
/* The member "paths" of the object that is open in j, which has python set: each fact by its whole path. */
void ts_facts_write_paths(const struct ts_facts *facts, struct ts_json *j);
/* One value, as JSON that reads back as the same fact (integers beyond 2^53 as digits, NaN as a bare word). */
void ts_fact_write(const struct ts_fact *fact, struct ts_json *j);

#endif
