/* checks_ranks.c - rules on several ranks at once, and on the stages of a pipeline. */
#include "analysis/answer/row_words.h"
#include "analysis/rules/check.h"

#include "analysis/stats/stats.h"

/* Looks up a row of one rank, which becomes evidence. */
static bool want_rank(struct ts_check *c, enum ts_measure_name what, int32_t rank, double *ret_value)
{
	const char *subject = ts_measure_subject(what, rank, c->arena);

	return subject && ts_check_want_of(c, what, subject, ret_value);
}

void ts_check_straggler(struct ts_check *c)
{
	const struct ts_measure *row;
	double lost = 0, greatest = 0, onset, first = INFINITY;
	struct ts_span decidable, kind = ts_span_str("");
	bool mixed = false, lost_known;
	int32_t rank;
	size_t at = 0;

	if (!ts_check_ranks(c))
		return;
	decidable = ts_check_text(c, TS_M_RANKS_DECIDABLE);
	while ((row = ts_check_rank_row(c, TS_M_RANK_STRAGGLER, &at, &rank)) != NULL) {
		double slowdown = 0;

		(void)want_rank(c, TS_M_RANK_SLOWDOWN, rank, &slowdown);
		ts_check_evidence(c, row);
		ts_check_rank(c, rank);
		mixed |= kind.len && !ts_span_eq(kind, row->text);
		kind = row->text;
		if (slowdown > greatest)
			greatest = slowdown;
		if (want_rank(c, TS_M_RANK_ONSET, rank, &onset) && onset < first)
			first = onset;
	}
	if (c->finding.n_ranks == 0) {
		if (decidable.len && ts_answered_of(decidable) != TS_ANSWERED_YES)
			ts_check_leave(c, "%.*s", TS_SPAN_ARG(decidable));
		else if (!decidable.len)
			(void)ts_check_need(c, TS_M_RANKS_STRAGGLERS, &lost);
		return;
	}
	lost_known = ts_check_want(c, TS_M_RANKS_LOST_SHARE, &lost);
	if (isfinite(first))
		ts_check_steps(c, (int64_t)first, (int64_t)first);
	ts_check_fire(c,
		      lost >= ts_check_threshold(c, "high_lost") || greatest >= ts_check_threshold(c, "high_slowdown")
			      ? TS_SEVERITY_HIGH
			      : TS_SEVERITY_MEDIUM,
		      "The other ranks wait for %s%s (%.*s%s)%s", ts_check_ranks_text(c),
		      greatest > 0
			      ? ts_arena_phrase(c->arena, ", which %s up to %s slower",
						c->finding.n_ranks == 1 ? "is" : "are", ts_say_percent(greatest).text)
			      : "",
		      TS_SPAN_ARG(mixed ? ts_span_str("in different ways") : kind),
		      isfinite(first) ? ts_arena_phrase(c->arena, ", from step %.0f on", first) : "",
		      lost_known ? ts_arena_phrase(c->arena, "; unequal ranks cost %s of the devices' time",
						   ts_say_percent(lost).text)
				 : "");
}

void ts_check_load_imbalance(struct ts_check *c)
{
	double cv, lost, skew, stragglers;
	struct ts_span decidable;
	bool known;

	if (!ts_check_ranks(c) || !ts_check_need(c, TS_M_RANKS_IMBALANCE_CV, &cv) ||
	    !ts_check_need(c, TS_M_RANKS_LOST_SHARE, &lost) || !ts_check_need(c, TS_M_RANKS_SKEW, &skew))
		return;
	known = ts_check_want(c, TS_M_RANKS_STRAGGLERS, &stragglers);
	if (known && stragglers > 0)
		return;
	if (cv < ts_check_threshold(c, "min_cv") || lost < ts_check_threshold(c, "min_lost"))
		return;
	decidable = ts_check_text(c, TS_M_RANKS_DECIDABLE);
	ts_check_fire(c, TS_SEVERITY_MEDIUM,
		      "The ranks' own time has a coefficient of variation of %s%s; the slowest rank is %s behind the "
		      "median, and %s of "
		      "the devices' time is lost",
		      ts_say_percent(cv).text,
		      known && ts_answered_of(decidable) == TS_ANSWERED_YES
			      ? ", and no rank in particular is slow"
			      : ", and the steps do not show whether the same rank is always slow",
		      ts_say_seconds(skew).text, ts_say_percent(lost).text);
}

void ts_check_comm_bound(struct ts_check *c)
{
	double share, seconds;

	if (!ts_check_ranks(c) || !ts_check_need_of(c, TS_M_JOB_SHARE, ts_job_lines[TS_JOB_COMM], &share) ||
	    !ts_check_need(c, TS_M_RANKS_TRANSFER, &seconds))
		return;
	if (share >= ts_check_threshold(c, "min_share"))
		ts_check_fire(
			c, ts_severity_from(share, ts_check_threshold(c, "high_share")),
			"Transfer between ranks takes %s of the wall time, %s of each step; the wait for slower ranks is not "
			"part of it",
			ts_say_percent(share).text, ts_say_seconds(seconds).text);
}

void ts_check_wait_bound(struct ts_check *c)
{
	double share, seconds;

	if (!ts_check_ranks(c) || !ts_check_need_of(c, TS_M_JOB_SHARE, ts_job_lines[TS_JOB_WAIT], &share) ||
	    !ts_check_need(c, TS_M_RANKS_WAIT, &seconds))
		return;
	if (share >= ts_check_threshold(c, "min_share"))
		ts_check_fire(c, ts_severity_from(share, ts_check_threshold(c, "high_share")),
			      "Ranks wait for slower ranks during %s of the wall time, %s of each step on average",
			      ts_say_percent(share).text, ts_say_seconds(seconds).text);
}

void ts_check_missing_ranks(struct ts_check *c)
{
	double world, present, missing;
	struct ts_span list;

	if (!ts_check_ranks(c) || !ts_check_need(c, TS_M_RANKS_WORLD_SIZE, &world) ||
	    !ts_check_need(c, TS_M_RANKS_PRESENT, &present) || !ts_check_need(c, TS_M_RANKS_MISSING, &missing))
		return;
	if (missing < ts_check_threshold(c, "min_ranks"))
		return;
	list = ts_check_text(c, TS_M_RANKS_MISSING_LIST);
	ts_check_fire(c, TS_SEVERITY_MEDIUM, "Only %s of %s ranks have steps; the missing ones: %.*s",
		      ts_say_count(present).text, ts_say_count(world).text,
		      TS_SPAN_ARG(list.len ? list : ts_span_str(ts_say_plural(missing, "rank").text)));
}

void ts_check_memory_imbalance(struct ts_check *c)
{
	static const double middle = 50;
	const struct ts_measure *row;
	double *peaks, median, device, most = 0, skew;
	int32_t rank, worst = 0;
	size_t at = 0, n = 0;

	if (!ts_check_ranks(c))
		return;
	while (ts_check_rank_row(c, TS_M_RANK_PEAK, &at, &rank))
		n++;
	peaks = ts_arena_array(c->arena, n, sizeof *peaks);
	if (!peaks)
		return;
	if (n < 2) {
		ts_check_leave(c, "fewer than two ranks have memory columns");
		return;
	}
	at = 0;
	for (n = 0; (row = ts_check_rank_row(c, TS_M_RANK_PEAK, &at, &rank)) != NULL; n++) {
		peaks[n] = row->value;
		if (n == 0 || row->value > most) {
			most = row->value;
			worst = rank;
		}
	}
	ts_percentiles(peaks, n, &middle, 1, &median);
	skew = most / median - 1;
	if (!(most >= median * (1 + ts_check_threshold(c, "min_skew"))))
		return;
	if (ts_check_want(c, TS_M_CAPACITY_DEVICE, &device) && most < ts_check_threshold(c, "min_pressure") * device)
		return;
	(void)want_rank(c, TS_M_RANK_PEAK, worst, &most);
	ts_check_rank(c, worst);
	ts_check_fire(c, TS_SEVERITY_MEDIUM, "The memory peak of rank %d, %s, is %s above the median of the ranks, %s",
		      (int)worst, ts_say_bytes(most).text, ts_say_percent(skew).text, ts_say_bytes(median).text);
}

/* "; stage 2 is the most idle", with the stage as its row names it. */
static const char *idlest_text(struct ts_check *c)
{
	struct ts_span idlest = ts_check_text(c, TS_M_PIPELINE_IDLEST);

	return idlest.len ? ts_arena_phrase(c->arena, "; %.*s is the most idle", TS_SPAN_ARG(idlest)) : "";
}

void ts_check_pipeline_bubble(struct ts_check *c)
{
	double bubble, ideal, excess, high;
	const char *idlest;
	bool any = false;

	for (size_t i = 0; i < c->measures->n && !any; i++)
		any = ts_measure_in(&c->measures->items[i], TS_ANSWER_PIPELINE);
	if (!any) {
		ts_check_applies_not(c);
		return;
	}
	if (!ts_check_need(c, TS_M_PIPELINE_BUBBLE, &bubble))
		return;
	idlest = idlest_text(c);
	if (ts_check_want(c, TS_M_PIPELINE_EXCESS, &excess) && ts_check_want(c, TS_M_PIPELINE_IDEAL, &ideal)) {
		high = ts_check_threshold(c, "high_excess");
		if (excess >= ts_check_threshold(c, "min_excess"))
			ts_check_fire(c, ts_severity_from(excess, high),
				      "The stages are idle for %s of the time, and the schedule requires only %s%s",
				      ts_say_percent(bubble).text, ts_say_percent(ideal).text, idlest);
		return;
	}
	high = ts_check_threshold(c, "high_bubble");
	if (bubble >= ts_check_threshold(c, "min_bubble"))
		ts_check_fire(c, ts_severity_from(bubble, high),
			      "The stages are idle for %s of the time; the number of microbatches is not known, so "
			      "neither is how much the "
			      "schedule requires%s",
			      ts_say_percent(bubble).text, idlest);
}
