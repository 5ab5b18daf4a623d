/* facts_write.h - facts back to nested JSON. */
#ifndef TSCOPE_INGEST_FACTS_WRITE_H
#define TSCOPE_INGEST_FACTS_WRITE_H

#include "base/json_writer.h"
#include "run/fact.h"

/* The effective facts, sorted, as the members of the object that is open in j; paths need not begin with a group. Two
 * facts that no JSON can hold together (a value, and something below it) keep both: the lower one stands under the rest of
 * its path as one key. Lists with holes become objects with keys "[i]". */
void ts_facts_write(const struct ts_facts *facts, struct ts_json *j);
/* Something else of these sorted facts stands where this path would have to go through. */
bool ts_facts_conflict(const struct ts_facts *facts, struct ts_span path);
/* One value, as JSON that reads back as the same fact (integers beyond 2^53 as digits, NaN as a bare word). */
void ts_fact_write(const struct ts_fact *fact, struct ts_json *j);

#endif
