/* role.h - is a column part of what the run computed, or of what it cost? Not part of identity: decided when read. */
#ifndef TSCOPE_RUN_ROLE_H
#define TSCOPE_RUN_ROLE_H

#include "run/fact.h"

enum ts_role {
	TS_ROLE_UNKNOWN = 0,
	TS_ROLE_TRAJECTORY = 1, /* loss, gradient norm, learning rate, digests, samples, tokens */
	TS_ROLE_OBSERVATION = 2, /* timestamps, phases, memory, throughput */
};

enum { TS_ROLE_TABLE_VERSION = 2 };

/* By columns.<name>.role in facts ("trajectory", "observation"), else by the table of names. facts may be NULL. */
enum ts_role ts_role_of(struct ts_span column, const struct ts_facts *facts);
const char *ts_role_name(enum ts_role role);
/* A column's name as people say it: without "scalars." in front, unless that is all of it. */
struct ts_span ts_column_said(struct ts_span column);

#endif
