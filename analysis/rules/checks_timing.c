/* checks_timing.c - rules on how one rank spends the time of a step. */
#include "analysis/answer/row_words.h"
#include "analysis/rules/check.h"

#include "analysis/answer/phase.h"

void ts_check_dataloader_bound(struct ts_check *c)
{
	double share, mean;

	if (!ts_check_need_of(c, TS_M_PHASE_SHARE, ts_rank_phases[TS_RANK_DATA], &share) ||
	    !ts_check_need_of(c, TS_M_PHASE_MEAN, ts_rank_phases[TS_RANK_DATA], &mean))
		return;
	if (share < ts_check_threshold(c, "min_share"))
		return;
	ts_check_worse(c, share);
	ts_check_fire(c, ts_severity_from(share, ts_check_threshold(c, "high_share")),
		      "Waiting for data takes %s of a step, %s on average", ts_say_percent(share).text,
		      ts_say_seconds(mean).text);
}

/* Returns how many forward passes the backward pass does again as far as the run declares it, at most; and what is then usual,
 * as the end of a sentence. Forward is taken as a third of the model's FLOPs. */
static double recomputed(struct ts_check *c, const char **ret_usual)
{
	struct ts_span word = ts_check_text(c, TS_M_RECOMPUTE);
	double share = 0;
	bool known = ts_check_want(c, TS_M_RECOMPUTED, &share);

	if (!known && !word.len)
		*ret_usual = "about twice as long is usual, or three times as long where activation checkpointing computes all "
			     "activations again, but the run does not say whether it does (work.recompute)";
	else if (!known)
		*ret_usual = ts_arena_phrase(c->arena, "with work.recompute = %.*s, two to three times as long is usual",
					     TS_SPAN_ARG(word));
	else if (share > 0)
		*ret_usual = ts_arena_phrase(c->arena, "with the recomputation that the run declares, %s times as long is usual",
					     ts_say_number(2 + 3 * share).text);
	else
		*ret_usual = "about twice as long is usual";
	return known ? 3 * fmax(share, 0) : word.len ? 1 : 0;
}

static bool is_summed_in_backward(const struct ts_check *c)
{
	double n;

	return ts_check_several(c) && !ts_measure_value(c->measures, TS_M_PHASE_MEAN, ts_span_str(ts_rank_phases[TS_RANK_COMM]), &n);
}

void ts_check_backward_heavy(struct ts_check *c)
{
	double forward, backward, ratio, again;
	const char *usual;

	if (!ts_check_need_of(c, TS_M_PHASE_MEAN, ts_rank_phases[TS_RANK_FORWARD], &forward) ||
	    !ts_check_need_of(c, TS_M_PHASE_MEAN, ts_rank_phases[TS_RANK_BACKWARD], &backward))
		return;
	if (ts_ranks_mode_of(ts_check_text(c, TS_M_RANKS_MODE)) == TS_RANKS_HIDDEN) {
		ts_check_leave(c,
			       "the phase backward includes the wait for other ranks, so its length cannot be judged");
		return;
	}
	if (!(forward > 0)) {
		ts_check_leave(c, "the phase forward took no time");
		return;
	}
	if (is_summed_in_backward(c)) {
		ts_check_leave(c,
			       "the run has several ranks and no phase comm: gradients may be summed over ranks in the phase backward");
		return;
	}
	ratio = backward / forward;
	again = recomputed(c, &usual);
	if (!(ratio - again >= ts_check_threshold(c, "min_ratio")) || !usual)
		return;
	ts_check_worse(c, ratio - again);
	ts_check_fire(c, ratio - again >= ts_check_threshold(c, "medium_ratio") ? TS_SEVERITY_MEDIUM : TS_SEVERITY_LOW,
		      "The backward pass takes %s times as long as the forward pass (%s and %s); %s", ts_say_number(ratio).text,
		      ts_say_seconds(backward).text, ts_say_seconds(forward).text, usual);
}

void ts_check_optimizer_heavy(struct ts_check *c)
{
	double share, mean;

	if (!ts_check_need_of(c, TS_M_PHASE_SHARE, ts_rank_phases[TS_RANK_OPTIMIZER], &share) ||
	    !ts_check_need_of(c, TS_M_PHASE_MEAN, ts_rank_phases[TS_RANK_OPTIMIZER], &mean))
		return;
	if (share < ts_check_threshold(c, "min_share"))
		return;
	ts_check_worse(c, share);
	ts_check_fire(c, TS_SEVERITY_LOW, "The optimizer takes %s of a step, %s on average", ts_say_percent(share).text,
		      ts_say_seconds(mean).text);
}

/* A run may have steps, of which no time is known: then the reason is why. */
static bool steps_enough(struct ts_check *c)
{
	double steps, mean;

	if (!ts_check_need(c, TS_M_STEP_COUNT, &steps) || (steps == 0 && !ts_check_need(c, TS_M_STEP_MEAN, &mean)))
		return false;
	return ts_check_enough(c, steps, "min_steps", "step");
}

/* What comes back every N steps is a period, not jitter: where there is one, the times without it count. */
void ts_check_jitter(struct ts_check *c)
{
	double cv, tail;
	bool calm = ts_check_want(c, TS_M_STEP_CALM_CV, &cv) && ts_check_want(c, TS_M_STEP_CALM_TAIL, &tail);

	if (!steps_enough(c) ||
	    (!calm && (!ts_check_need(c, TS_M_STEP_CV, &cv) || !ts_check_need(c, TS_M_STEP_TAIL, &tail))))
		return;
	if (cv < ts_check_threshold(c, "min_cv") && tail < ts_check_threshold(c, "min_tail"))
		return;
	ts_check_worse(c, cv);
	ts_check_fire(c, TS_SEVERITY_LOW,
		      "The coefficient of variation of step times is %s, and their 95th percentile is %s times the median%s",
		      ts_say_percent(cv).text, ts_say_number(tail).text,
		      calm ? "; what comes back every few steps is left out" : "");
}

/* A time that is recorded every N steps may be the mean of the steps up to it, or that of one step of N (which may hold an evaluation):
 * then long ones cost an N-th of what they seem to, so that nothing is high. Returns what is to be said of it. */
static const char *if_means(struct ts_check *c, enum ts_severity *io_severity)
{
	double every;

	if (!ts_check_want(c, TS_M_STEP_EVERY, &every))
		return "";
	if (*io_severity == TS_SEVERITY_HIGH)
		*io_severity = TS_SEVERITY_MEDIUM;
	return ts_arena_phrase(c->arena, "; this is so if each recorded time is the mean of the %.0f steps up to it", every);
}

/* A large part of very little time is not worth a severity: one preemption among steps of microseconds. */
static enum ts_severity worth(struct ts_check *c, double share, enum ts_severity severity)
{
	double total;

	if (!ts_check_want(c, TS_M_STEP_TOTAL, &total))
		return severity;
	return share * total < ts_check_threshold(c, "medium_s")				 ? TS_SEVERITY_LOW
	       : severity == TS_SEVERITY_HIGH && share * total < ts_check_threshold(c, "high_s") ? TS_SEVERITY_MEDIUM
												 : severity;
}

void ts_check_stalls(struct ts_check *c)
{
	double share, longest, usual, at, spikes;
	enum ts_severity severity;
	const char *means;
	struct ts_span tagged;

	if (!steps_enough(c) || !ts_check_need(c, TS_M_STEP_STALL, &share))
		return;
	if (share < ts_check_threshold(c, "min_share"))
		return;
	if (!ts_check_need(c, TS_M_STEP_STALL_LONGEST, &longest) || !ts_check_need(c, TS_M_STEP_STALL_AT, &at) ||
	    !ts_check_need(c, TS_M_STEP_MEDIAN, &usual))
		return;
	(void)ts_check_want(c, TS_M_STEP_SPIKES, &spikes);
	tagged = ts_check_text(c, TS_M_STEP_TAGGED);
	ts_check_steps(c, (int64_t)at, (int64_t)at);
	ts_check_worse(c, share);
	severity = worth(c, share, ts_severity_from(share, ts_check_threshold(c, "high_share")));
	means = if_means(c, &severity);
	ts_check_fire(c, severity,
		      "A few long steps cost %s of the time; the longest, step %.0f, took %s, and the median step takes %s%s%s%.*s",
		      ts_say_percent(share).text, at, ts_say_seconds(longest).text, ts_say_seconds(usual).text, means,
		      tagged.len ? "; " : "", TS_SPAN_ARG(tagged));
}

void ts_check_cpu_wait(struct ts_check *c)
{
	double share, waited, longest, at, of, stalls;
	const char *more = "";

	if (!ts_check_want(c, TS_M_CPU_WAIT_SHARE, &share) || !ts_check_want(c, TS_M_CPU_WAIT, &waited)) {
		ts_check_applies_not(c);
		return;
	}
	if (!steps_enough(c) || share < ts_check_threshold(c, "min_share"))
		return;
	if (!ts_check_need(c, TS_M_CPU_WAIT_LONGEST, &longest) || !ts_check_need(c, TS_M_CPU_WAIT_AT, &at) ||
	    !ts_check_need(c, TS_M_CPU_WAIT_OF, &of) || !ts_check_need(c, TS_M_CPU_WAIT_STALL, &stalls))
		return;
	if (stalls > 0) {
		more = ts_arena_phrase(c->arena,
				       "; %s of the time was lost so in steps that took very long: that is load of the host, no stall "
				       "of the training",
				       ts_say_percent(stalls).text);
	}
	ts_check_steps(c, (int64_t)at, (int64_t)at);
	ts_check_worse(c, share);
	ts_check_fire(c, ts_severity_from(share, ts_check_threshold(c, "high_share")),
		      "The process waited %s for a CPU, %s of the time of all steps; in step %.0f, which took %s, it waited %s%s",
		      ts_say_seconds(waited).text, ts_say_percent(share).text, at, ts_say_seconds(of).text,
		      ts_say_seconds(longest).text, more);
}

/* --- slow steps that come back --- */

struct period {
	double every, at, slow, places, usual, others, cost;
	bool has_at;
	struct ts_span phase;
	enum ts_period_cause cause;
};

/* Reads the rows of period k, counted from 1; false if there is none. */
static bool period_of(struct ts_check *c, size_t k, struct period *ret)
{
	const char *subject = ts_arena_phrase(c->arena, "period %zu", k);
	struct period p = {.every = 0};

	if (!subject || !ts_check_want_of(c, TS_M_PERIOD_EVERY, subject, &p.every) ||
	    !ts_check_want_of(c, TS_M_PERIOD_COST, subject, &p.cost) ||
	    !ts_check_want_of(c, TS_M_PERIOD_USUAL, subject, &p.usual) ||
	    !ts_check_want_of(c, TS_M_PERIOD_OTHERS, subject, &p.others) ||
	    !ts_check_want_of(c, TS_M_PERIOD_SLOW, subject, &p.slow) ||
	    !ts_check_want_of(c, TS_M_PERIOD_PLACES, subject, &p.places))
		return false;
	p.has_at = ts_check_want_of(c, TS_M_PERIOD_AT, subject, &p.at);
	p.phase = ts_check_text_of(c, TS_M_PERIOD_PHASE, subject);
	p.cause = ts_period_cause_of(ts_check_text_of(c, TS_M_PERIOD_CAUSE, subject));
	*ret = p;
	return true;
}

static bool is_like_accumulation(const struct period *p)
{
	return p->cause == TS_PERIOD_LIKE_ACCUMULATION;
}

/* A period that is, or may well be, gradient accumulation loses no time. */
static enum ts_severity severity_of(const struct ts_check *c, const struct period *p)
{
	return is_like_accumulation(p) || p->cost < ts_check_threshold(c, "medium_share") ? TS_SEVERITY_LOW
	       : p->cost >= ts_check_threshold(c, "high_share")			       ? TS_SEVERITY_HIGH
										       : TS_SEVERITY_MEDIUM;
}

static bool is_at_epochs(const struct period *p)
{
	return p->cause == TS_PERIOD_EPOCHS;
}

static const char *guess_of(const struct period *p)
{
	if (is_at_epochs(p))
		return "; loader workers that start anew for each epoch do this, and an evaluation between epochs";
	if (is_like_accumulation(p))
		return "; if the run records micro-batches, this is gradient accumulation and no fault: let it record "
		       "work.accumulation";
	if (p->cause == TS_PERIOD_WORKERS)
		return "; the data loader has as many workers";
	if (ts_span_is(p->phase, ts_rank_phases[TS_RANK_DATA]))
		return "; it may be the data loader";
	return "; it may be a checkpoint, an evaluation or logging";
}

static const char *period_text(struct ts_check *c, const struct period *p)
{
	const char *place = is_at_epochs(p) ? "At epoch starts"
			    : p->has_at	    ? ts_arena_phrase(c->arena, "Every %.0f steps, at step = %.0f mod %.0f", p->every, p->at,
							      p->every)
					    : ts_arena_phrase(c->arena, "Every %.0f records", p->every);

	return ts_arena_phrase(
		c->arena, "%s, a step takes %s instead of %s (%s of %s times); this costs %s of the time%s%.*s%s", place,
		ts_say_seconds(p->usual).text, ts_say_seconds(p->others).text, ts_say_count(p->slow).text,
		ts_say_count(p->places).text, ts_say_percent(p->cost).text,
		p->phase.len ? ", most of it in the phase " : "", TS_SPAN_ARG(p->phase), guess_of(p));
}

void ts_check_periodic(struct ts_check *c)
{
	enum ts_severity severity = TS_SEVERITY_LOW;
	const char *text = NULL;
	struct period p;

	if (!steps_enough(c))
		return;
	for (size_t k = 1; period_of(c, k, &p); k++) {
		if (p.cause == TS_PERIOD_ACCUMULATION || p.cost < ts_check_threshold(c, "min_share"))
			continue;
		severity = severity_of(c, &p) > severity ? severity_of(c, &p) : severity;
		text = text ? ts_arena_phrase(c->arena, "%s. %s", text, period_text(c, &p)) : period_text(c, &p);
	}
	if (text) {
		const char *means = if_means(c, &severity);

		ts_check_fire(c, severity, "%s%s", text, means);
	}
}

/* A stretch that ended costs no more than it did; a slow-down that lasts goes on to cost what it rose by. */
static enum ts_severity severity_of_stretch(const struct ts_check *c, double cost)
{
	return cost >= ts_check_threshold(c, "high_cost")     ? TS_SEVERITY_HIGH
	       : cost >= ts_check_threshold(c, "medium_cost") ? TS_SEVERITY_MEDIUM
							      : TS_SEVERITY_LOW;
}

void ts_check_slowdown(struct ts_check *c)
{
	double first, last, before, after, rise, cost, shifts;
	struct ts_say more, levels[2];
	enum ts_slowdown_kind kind;
	bool rises = ts_check_want(c, TS_M_SLOWDOWN_RISE, &rise);

	if (!rises && !ts_check_need(c, TS_M_STEP_SHIFTS, &shifts))
		return;
	kind = ts_slowdown_of(ts_check_text(c, TS_M_SLOWDOWN_KIND));
	if (!rises || rise < ts_check_threshold(c, "min_slowdown"))
		return;
	if (!ts_check_need(c, TS_M_SLOWDOWN_FIRST, &first) || !ts_check_need(c, TS_M_SLOWDOWN_LAST, &last) ||
	    !ts_check_need(c, TS_M_SLOWDOWN_BEFORE, &before) || !ts_check_need(c, TS_M_SLOWDOWN_AFTER, &after) ||
	    !ts_check_need(c, TS_M_SLOWDOWN_COST, &cost))
		return;
	more = ts_say_percent(rise);
	levels[0] = ts_say_seconds(after);
	levels[1] = ts_say_seconds(before);
	ts_check_steps(c, (int64_t)first, (int64_t)last);
	ts_check_worse(c, rise);
	if (kind == TS_SLOWDOWN_STRETCH)
		ts_check_fire(c, severity_of_stretch(c, cost),
			      "From step %.0f to step %.0f, a step took %s longer: %s instead of %s; this cost %s of the time", first,
			      last, more.text, levels[0].text, levels[1].text, ts_say_percent(cost).text);
	else if (kind == TS_SLOWDOWN_RAMP)
		ts_check_fire(c, ts_severity_from(rise, ts_check_threshold(c, "high_slowdown")),
			      "From step %.0f to step %.0f, a step became %s longer, little by little: %s instead of %s at the end",
			      first, last, more.text, levels[0].text, levels[1].text);
	else
		ts_check_fire(c, ts_severity_from(rise, ts_check_threshold(c, "high_slowdown")),
			      "From step %.0f on, a step takes %s longer: %s instead of %s", first, more.text, levels[0].text,
			      levels[1].text);
}

void ts_check_two_levels(struct ts_check *c)
{
	double lower, upper, share, switches, cost, shifts;

	if (!ts_check_need(c, TS_M_STEP_SHIFTS, &shifts) || !ts_check_want(c, TS_M_LEVELS_COST, &cost) ||
	    !ts_check_want(c, TS_M_LEVELS_LOWER, &lower) || !ts_check_want(c, TS_M_LEVELS_UPPER, &upper) ||
	    !ts_check_want(c, TS_M_LEVELS_UPPER_SHARE, &share) || !ts_check_want(c, TS_M_LEVELS_SWITCHES, &switches))
		return;
	if (cost < ts_check_threshold(c, "min_share"))
		return;
	ts_check_worse(c, cost);
	ts_check_fire(c, TS_SEVERITY_LOW,
		      "Step times go to and fro between two levels, %s (%s of the steps) and %s (%s), %s; the slower ones cost %s "
		      "of the time, and the run did not become slower for good",
		      ts_say_seconds(lower).text, ts_say_percent(1 - share).text, ts_say_seconds(upper).text,
		      ts_say_percent(share).text, ts_say_plural(switches, "time").text, ts_say_percent(cost).text);
}

void ts_check_unattributed(struct ts_check *c)
{
	double share, seconds;

	if (!ts_check_need(c, TS_M_WALL_UNATTRIBUTED_SHARE, &share) ||
	    !ts_check_need(c, TS_M_WALL_UNATTRIBUTED, &seconds))
		return;
	if (share < ts_check_threshold(c, "min_share"))
		return;
	ts_check_worse(c, share);
	ts_check_fire(c, share >= ts_check_threshold(c, "medium_share") ? TS_SEVERITY_MEDIUM : TS_SEVERITY_LOW,
		      "%s of the wall time (%s) is outside the phases of all steps", ts_say_percent(share).text,
		      ts_say_seconds(seconds).text);
}
