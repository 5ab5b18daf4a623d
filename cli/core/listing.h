/* listing.h - what list, show and facts have gathered, before it is text or JSON. */
#ifndef TSCOPE_CLI_CORE_LISTING_H
#define TSCOPE_CLI_CORE_LISTING_H

#include "cli/core/context.h"
#include "proto/wire.h"
#include "run/head.h"

/* Pages that were asked for, joined. */
struct ts_listing {
	const struct ts_list_row *rows;
	size_t n;
	struct ts_span *columns; /* as asked for; cells are in this order */
	size_t n_columns;
	struct ts_span next_token;
	uint64_t examined;
	struct ts_span project; /* empty = all */
	enum ts_ref_kind kind;
	bool filtered;
};

/* Facts of the head, and those that single ranks say otherwise. */
struct ts_rank_facts {
	int32_t rank; /* TS_RANK_JOB for the head's */
	struct ts_facts facts;
};
struct ts_fact_listing {
	const struct ts_run_ref *run;
	const struct ts_rank_facts *ranks;
	size_t n_ranks;
	struct ts_span glob; /* empty = all */
};

/* Does the listing show it? */
bool ts_fact_wanted(const struct ts_fact_listing *list, const struct ts_fact *fact);
/* How many paths each group has. */
void ts_facts_by_group(const struct ts_facts *facts, size_t ret_counts[TS_GROUPS]);

#endif
