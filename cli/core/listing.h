/* listing.h - the rows and facts that the verbs list, show and facts have gathered and are about to render as text or JSON. */
#ifndef TSCOPE_CLI_CORE_LISTING_H
#define TSCOPE_CLI_CORE_LISTING_H

#include "cli/core/context.h"
#include "proto/wire.h"
#include "run/head.h"

/* The requested pages, joined. */
struct ts_listing {
	const struct ts_list_row *rows;
	size_t n;
	struct ts_span *columns; /* as requested; the cells of a row are in this order */
	size_t n_columns;
	bool by_default;	   /* nobody chose the columns, so a terminal need not show all of them */
	struct ts_span next_token; /* text for --page; empty = there is no more */
	bool ended;		   /* the list was to go on behind its last row */
	uint64_t examined;
	uint64_t unscored; /* runs of which a metric was asked for and whose metrics were never made */
	struct ts_span *unrecorded; /* facts, notes and metrics of the request that no run on any of the pages records */
	size_t n_unrecorded;
	struct ts_copy copy; /* of which other store the one that was asked is a copy */
	struct ts_span project; /* empty = all */
	enum ts_ref_kind kind;
	bool filtered;
};

/* The facts of the head, or the facts of one rank that differ from them. */
struct ts_rank_facts {
	int32_t rank; /* TS_RANK_JOB: the facts of the head */
	struct ts_facts facts;
};
struct ts_fact_listing {
	const struct ts_run_ref *run;
	const struct ts_rank_facts *ranks;
	size_t n_ranks;
	struct ts_span glob; /* empty = all */
};

/* Whether the listing shows this fact. */
bool ts_fact_wanted(const struct ts_fact_listing *list, const struct ts_fact *fact);
/* Counts the paths of each group. */
void ts_facts_by_group(const struct ts_facts *facts, size_t ret_counts[TS_GROUPS]);

#endif
