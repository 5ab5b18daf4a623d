/* checks_replicas.c - the rule on ranks whose copies of the model part, by digests. */
#include "analysis/rules/check.h"

#include <stdio.h>

static const struct {
	const char *subject, *what;
	bool decides; /* gradients that differ are a sign of it, and may be local ones */
} sets[] = {
	{"replicas of params", "parameters", true},
	{"replicas of optimizer", "optimizer's state", true},
	{"replicas of grads", "gradients", false},
};

enum { SETS = sizeof sets / sizeof sets[0] };

/* The set that parts first; of several at one step the first of the table. */
static int first_of(struct ts_check *c, double first[SETS])
{
	int found = -1;

	for (int i = 0; i < SETS; i++) {
		first[i] = INFINITY;
		if (!ts_check_want_of(c, TS_M_REPLICAS_FIRST_APART, sets[i].subject, &first[i]) || !sets[i].decides)
			continue;
		if (found < 0 || first[i] < first[found])
			found = i;
	}
	return found;
}

static const char *whose(struct ts_check *c, int set)
{
	struct ts_span list = ts_check_text_of(c, TS_M_REPLICAS_ODD_LIST, sets[set].subject);
	double odd = 0, ranks = 0;

	(void)ts_check_want_of(c, TS_M_REPLICAS_ODD, sets[set].subject, &odd);
	(void)ts_check_want_of(c, TS_M_REPLICAS_RANKS, sets[set].subject, &ranks);
	if (odd > 0)
		return ts_arena_phrase(c->arena, "on %.*s is not that of the other %.0f ranks", TS_SPAN_ARG(list), ranks - odd);
	return ts_arena_phrase(c->arena, "is not the same on %.*s, without a majority that would say which of them is wrong",
			       TS_SPAN_ARG(list));
}

void ts_check_replicas(struct ts_check *c)
{
	double first[SETS], equal = 0, apart;
	const struct ts_measure *row;
	const char *sign = "";
	int32_t rank;
	size_t at = 0;
	int set;

	if (!ts_check_ranks(c))
		return;
	set = first_of(c, first);
	if (set < 0) {
		if (!ts_measure_find(c->measures, TS_M_REPLICAS_APART, ts_span_str(sets[0].subject)) &&
		    !ts_measure_find(c->measures, TS_M_REPLICAS_APART, ts_span_str(sets[1].subject)))
			ts_check_applies_not(c);
		else if (!ts_check_want_of(c, TS_M_REPLICAS_APART, sets[1].subject, &apart))
			(void)ts_check_need_of(c, TS_M_REPLICAS_APART, sets[0].subject, &apart);
		return;
	}
	(void)ts_check_want_of(c, TS_M_REPLICAS_LAST_EQUAL, sets[set].subject, &equal);
	while ((row = ts_check_rank_row(c, TS_M_RANK_APART, &at, &rank)) != NULL)
		ts_check_rank(c, rank);
	if (isfinite(first[2]) && first[2] <= first[set])
		sign = ts_arena_phrase(c->arena, "; the gradients differ from step %.0f on", first[2]);
	ts_check_steps(c, (int64_t)first[set], (int64_t)first[set]);
	ts_check_fire(c, TS_SEVERITY_HIGH, "From step %.0f on, the copy of the %s %s; at step %.0f all copies had the same bits%s",
		      first[set], sets[set].what, whose(c, set), equal, sign);
}
