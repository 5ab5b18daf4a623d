/* fact_match.h - whether a fact is one that a table means, by its path and by its value.
 *
 * A path is folded: in lower case, '-' as '_', without indexes behind its last key. A pattern is a glob (ts_glob) over that.
 * "config:lr" is any depth below config with lr as the last key.
 *
 *	struct ts_folded path;
 *	if (ts_path_fold(fact->path, &path) && ts_path_matches("config:lr", &path)) ...
 */
#ifndef TSCOPE_RUN_FACT_MATCH_H
#define TSCOPE_RUN_FACT_MATCH_H

#include "base/limits.h"
#include "run/fact.h"

struct ts_folded {
	uint8_t text[TS_PATH_MAX];
	size_t len, last; /* last: where the last key begins */
};

/* False for a path that is longer than a path may be. */
bool ts_path_fold(struct ts_span path, struct ts_folded *ret);
bool ts_path_matches(const char *pattern, const struct ts_folded *path);
/* True if the value is this word: true and false of a boolean or as Python prints them, 0 and 1, or the text itself. */
bool ts_fact_is(const struct ts_fact *fact, const char *word);

#endif
