/* role.h - whether a column is part of what the run computed, or of what it cost. The role is no part of what the id covers:
 * it is decided when a run is read.
 */
#ifndef TSCOPE_RUN_ROLE_H
#define TSCOPE_RUN_ROLE_H

#include "base/limits.h"
#include "run/fact.h"

enum ts_role {
	TS_ROLE_UNKNOWN = 0,
	TS_ROLE_TRAJECTORY = 1, /* loss, gradient norm, learning rate, digests, samples, tokens */
	TS_ROLE_OBSERVATION = 2, /* timestamps, phases, regions, memory, throughput */
};

enum { TS_ROLE_TABLE_VERSION = 6 };

/* The role that the fact columns.<name>.role states ("trajectory", "observation"), else that of the table of names. facts may
 * be NULL. */
enum ts_role ts_role_of(struct ts_span column, const struct ts_facts *facts);
const char *ts_role_name(enum ts_role role);
/* The fact columns.<column>.<what>, with the column as one key or as part of the path; NULL if there is none. what is short. */
const struct ts_fact *ts_column_fact(const struct ts_facts *facts, struct ts_span column, const char *what);
/* The last key of a column's name as tables of names match it: in lower case, with '-', '/' and '.' as '_'. It lies in room; empty if
 * the key is longer than TS_PATH_MAX. */
struct ts_span ts_column_leaf(struct ts_span column, uint8_t room[TS_PATH_MAX]);
/* Is it the factor of mixed precision, by its name? It is no loss, whatever it is called. */
bool ts_column_is_loss_scale(struct ts_span column);
/* The name of a column as output shows it: without "scalars." in front, unless that is the whole name. */
struct ts_span ts_column_said(struct ts_span column);

#endif
