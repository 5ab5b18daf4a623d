#include "experiment/factor.h"

#include "base/words.h"

#include <string.h>

enum { WORDS = TS_FACTORS_MOST / 64 };

TS_WORDS(ts_factor_kind_word, enum ts_factor_kind, "", [TS_FACTOR_SETTING] = "setting", [TS_FACTOR_ENVIRONMENT] = "environment",
	 [TS_FACTOR_CODE] = "code", [TS_FACTOR_LIBRARY] = "library", [TS_FACTOR_DATA] = "data", [TS_FACTOR_HERE] = "here")

size_t ts_factor_count(const struct ts_factor_set *set)
{
	size_t n = 0;

	for (size_t k = 0; k < WORDS; k++)
		n += (size_t)__builtin_popcountll(set->words[k]);
	return n;
}

bool ts_factor_sets_equal(const struct ts_factor_set *a, const struct ts_factor_set *b)
{
	return memcmp(a->words, b->words, sizeof a->words) == 0;
}

struct ts_factor_set ts_factor_union(const struct ts_factor_set *a, const struct ts_factor_set *b)
{
	struct ts_factor_set both = *a;

	for (size_t k = 0; k < WORDS; k++)
		both.words[k] |= b->words[k];
	return both;
}

struct ts_factor_set ts_factor_without(const struct ts_factor_set *a, const struct ts_factor_set *b)
{
	struct ts_factor_set rest = *a;

	for (size_t k = 0; k < WORDS; k++)
		rest.words[k] &= ~b->words[k];
	return rest;
}
