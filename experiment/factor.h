/* factor.h - facts that differ between two runs and that a new run can take from either of them, and sets of them. */
#ifndef TSCOPE_EXPERIMENT_FACTOR_H
#define TSCOPE_EXPERIMENT_FACTOR_H

#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TS_FACTORS_MOST = 256 };

enum ts_factor_kind {
	TS_FACTOR_SETTING,     /* a configuration key */
	TS_FACTOR_ENVIRONMENT, /* an environment variable that was recorded */
	TS_FACTOR_CODE,	       /* the commit; at most one of a search */
	TS_FACTOR_LIBRARY,
	TS_FACTOR_DATA,
	TS_FACTOR_HERE, /* something of this machine that neither record knows: a set that has it takes it away */
	TS_FACTOR_KINDS
};

const char *ts_factor_kind_word(enum ts_factor_kind kind); /* "setting", "environment", ...: for JSON */

struct ts_factor {
	struct ts_span name; /* "config.lr" */
	enum ts_factor_kind kind;
	double weight; /* how likely it is the cause, beside the others; above 0 */
};

struct ts_factor_set {
	uint64_t words[TS_FACTORS_MOST / 64];
};

static inline bool ts_factor_in(const struct ts_factor_set *set, size_t i)
{
	return set->words[i / 64] >> (i % 64) & 1;
}

static inline void ts_factor_put(struct ts_factor_set *set, size_t i)
{
	set->words[i / 64] |= UINT64_C(1) << (i % 64);
}

static inline void ts_factor_take(struct ts_factor_set *set, size_t i)
{
	set->words[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

size_t ts_factor_count(const struct ts_factor_set *set);
bool ts_factor_sets_equal(const struct ts_factor_set *a, const struct ts_factor_set *b);
/* Members of either; members of a that b has not. */
struct ts_factor_set ts_factor_union(const struct ts_factor_set *a, const struct ts_factor_set *b);
struct ts_factor_set ts_factor_without(const struct ts_factor_set *a, const struct ts_factor_set *b);

#endif
