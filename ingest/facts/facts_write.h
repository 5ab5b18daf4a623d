/* facts_write.h - writes facts as JSON, nested where their paths allow it. */
#ifndef TSCOPE_INGEST_FACTS_FACTS_WRITE_H
#define TSCOPE_INGEST_FACTS_FACTS_WRITE_H

#include "base/json_writer.h"
#include "run/fact.h"

/* Splits the effective ones of sorted facts, whose paths need not begin with a group: *ret_nested are those that one nested JSON
 * object can hold together, *ret_beside the others; both are sorted. Facts that cannot nest are those below a path that has a value
 * itself, those of a list that is an object too, those of a list with a gap, and those deeper than TS_JSON_DEPTH levels, which
 * would not be read again. The arrays lie in the arena. */
enum ts_status ts_facts_nested(const struct ts_facts *facts, struct ts_arena *arena, struct ts_facts *ret_nested,
			       struct ts_facts *ret_beside, struct ts_error *err);
/* Writes the member "paths" into the object that is open in j (with j->python set): each fact by its whole path. */
void ts_facts_write_paths(const struct ts_facts *facts, struct ts_json *j);
/* Writes one value as JSON that reads back as the same fact (integers beyond 2^53 as digits, NaN as a bare word). */
void ts_fact_write(const struct ts_fact *fact, struct ts_json *j);

#endif
