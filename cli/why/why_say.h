/* why_say.h - the verdict of a search as an answer: causes with their sentences, and the runs that were made. */
#ifndef TSCOPE_CLI_WHY_WHY_SAY_H
#define TSCOPE_CLI_WHY_WHY_SAY_H

#include "analysis/answer/why.h"
#include "cli/why/why_runs.h"

/* planned: the runs were not made; what they would come to was supposed. */
enum ts_status ts_why_say(const struct ts_why_runs *runs, const struct ts_search_verdict *verdict, bool planned, struct ts_why *ret_why,
			  struct ts_error *err);

/* The plan: the runs that would be made if the likeliest fact were the cause, with what they cost. */
enum ts_status ts_why_plan(struct ts_why_runs *runs, struct ts_why *ret_why, struct ts_error *err);

#endif
