/* series_alias.h - numbers that two runs log under two names: loss and train/loss.
 *
 * A series that was read from a log under another name than its own (the fact columns.NAME.source: eval/loss became eval_loss) is
 * paired with one of its own name. Names are alike if they are equal without "train" or "training" and a '/', '_' or '.' in front,
 * which loggers add or leave out. Only series that the other run lacks under their own name are paired. Where a name has one like it,
 * and that one no other, the two are a pair; where it has several, the only one whose first common value agrees is.
 */
#ifndef TSCOPE_SERVICE_HANDLERS_DIFF_SERIES_ALIAS_H
#define TSCOPE_SERVICE_HANDLERS_DIFF_SERIES_ALIAS_H

#include "service/handlers/diff/series_list.h"

enum { TS_ALIAS_NONE = -1 };

struct ts_aliases {
	int64_t *of_a; /* for each item of the list of a: that of b, or TS_ALIAS_NONE */
	int64_t *of_b;
};

/* The lists are those of one rank. facts: what says the roles of their columns; only series that both runs take for a part of the
 * trajectory are paired. walk: by which values are compared. */
enum ts_status ts_aliases_find(struct ts_series_walk *walk, const struct ts_series_list lists[2],
			       const struct ts_facts facts[2], struct ts_arena *arena, struct ts_aliases *ret,
			       struct ts_error *err);

#endif
