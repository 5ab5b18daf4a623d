#include "analysis/rules/bound.h"

#include "analysis/answer/say.h"
#include "analysis/rules/playbook.h"
#include "analysis/rules/rule.h"
#include "base/door.h"
#include "base/grow.h"
#include "base/order.h"
#include "base/words.h"
#include <stdlib.h>

static const struct {
	const char *word; /* of JSON */
	const char *doing;	      /* "52 % of the wall time is spent ..." */
	const char *code, *threshold; /* of the rule on it; NULL for compute */
} kinds[] = {
	[TS_BOUND_UNKNOWN] = {"unknown", "", NULL, NULL},
	[TS_BOUND_INPUT] = {"input", "waiting for data", "TIMING.DATALOADER_BOUND", "min_share"},
	[TS_BOUND_COMPUTE] = {"compute", "computing", NULL, NULL},
	[TS_BOUND_COMMUNICATION] = {"communication", "in transfer between ranks", "DIST.COMM_BOUND", "min_share"},
	[TS_BOUND_WAIT] = {"wait", "waiting for slower ranks", "DIST.WAIT_BOUND", "min_share"},
	[TS_BOUND_HOST] = {"host", "", /* one of two causes: see doing() */ "EFFICIENCY.RECOVERABLE", "min_share"},
	[TS_BOUND_BALANCED] = {"balanced", "", NULL, NULL},
	[TS_BOUND_STALLS] = {"stalls", "", NULL, NULL},
};

enum { SHARES = 5 };

static const char cannot_show[] = "the run does not show what limits it";

struct decision {
	const struct ts_measures *m;
	struct ts_arena *arena;
	struct ts_bound out;
	size_t cap_unknowns;
	double unclassified; /* share of the time of which nobody can say what was done in it */
	const char *host; /* names the larger part of the host's share */
	bool failed;
};

const char *ts_bound_word(enum ts_bound_kind kind)
{
	return kind >= TS_BOUND_UNKNOWN && kind <= TS_BOUND_STALLS ? kinds[kind].word : (int)kind == TS_NEWER ? TS_NEWER_WORD : "";
}

static const char *doing(const struct decision *d, const struct ts_bound_share *s)
{
	return s->kind == TS_BOUND_HOST ? d->host : kinds[s->kind].doing;
}

/* Takes a text of the arena; NULL, from a full arena, is remembered as a failure. */
static struct ts_span kept(struct decision *d, char *text)
{
	d->failed |= !text;
	return ts_span_str(text ? text : "");
}

static void cannot_tell(struct decision *d, struct ts_span sentence)
{
	struct ts_bound *b = &d->out;

	if (!TS_GROW_IN(d->arena, b->unknowns, d->cap_unknowns, b->n_unknowns + 1, 8)) {
		d->failed = true;
		return;
	}
	b->unknowns[b->n_unknowns++] = sentence;
}

static struct ts_span reason_of(const struct ts_measure *row)
{
	if (!row)
		return ts_span_str("the answer has no budget of the wall time");
	return row->known ? ts_span_str("its value is not finite") : row->reason;
}

/* The share of a line of the budget, or why it is not known. */
static struct ts_bound_share share_of(const struct decision *d, enum ts_measure_name what, const char *subject)
{
	const struct ts_measure *row = ts_measure_find(d->m, what, ts_span_str(subject));
	struct ts_bound_share s = {.known = row && row->known && isfinite(row->value)};

	if (s.known)
		s.share = row->value;
	else
		s.reason = reason_of(row);
	return s;
}

static struct ts_bound_share line(const struct decision *d, enum ts_budget_line of)
{
	return share_of(d, TS_M_BUDGET_SHARE, ts_budget_lines[of]);
}

static struct ts_bound_share job_line(const struct decision *d, enum ts_job_line of)
{
	return share_of(d, TS_M_JOB_SHARE, ts_job_lines[of]);
}

static struct ts_bound_share plus(struct ts_bound_share a, struct ts_bound_share b)
{
	if (!a.known)
		return b.known ? b : a;
	a.share += b.known ? b.share : 0;
	return a;
}

/* Transfer and wait of the whole job replace those of this rank, and the other shares shrink to what is left. Time
 * outside the phases keeps its share, which is the same in both. */
static void take_job(struct decision *d, struct ts_bound_share *input, struct ts_bound_share *compute,
		     struct ts_bound_share *communication, struct ts_bound_share *wait, struct ts_bound_share *other,
		     struct ts_bound_share *unclassified, const struct ts_bound_share *unattributed)
{
	struct ts_bound_share job_wait = job_line(d, TS_JOB_WAIT), job_comm = job_line(d, TS_JOB_COMM);
	double own = 0, left = 1 - (unattributed->known ? unattributed->share : 0);
	struct ts_bound_share *const rest[] = {input, compute, other, unclassified};

	if (!job_wait.known)
		return;
	*wait = job_wait;
	*communication = job_comm;
	left -= wait->share + (job_comm.known ? job_comm.share : 0);
	for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++)
		own += rest[i]->known ? rest[i]->share : 0;
	for (size_t i = 0; own > 0 && i < sizeof rest / sizeof rest[0]; i++)
		rest[i]->share *= left / own;
}

/* The share of a time in the rank's trace; 0 without one. */
static double of_trace(const struct decision *d, enum ts_trace_time what)
{
	double share;

	return ts_measure_value(d->m, TS_M_TRACE_SHARE, ts_span_str(ts_trace_times[what]), &share) && isfinite(share) ? share : 0;
}

static double known_share(const struct ts_bound_share *s)
{
	return s->known ? s->share : 0;
}

/* Moves as much of the share of compute as there is. */
static void move(struct ts_bound_share *compute, struct ts_bound_share *to, double share)
{
	if (share > compute->share)
		share = compute->share;
	to->share = known_share(to) + share;
	to->known = true;
	compute->share -= share;
}

static void take_trace(struct decision *d, struct ts_bound_share *input, struct ts_bound_share *compute,
		       struct ts_bound_share *communication, struct ts_bound_share *wait, struct ts_bound_share *host)
{
	double exposed = of_trace(d, TS_TIME_EXPOSED_COMMUNICATION);
	double idle = of_trace(d, TS_TIME_IDLE_HOST) + of_trace(d, TS_TIME_IDLE_LAUNCH);

	if (!compute->known)
		return;
	if (!communication->known && exposed > 0)
		move(compute, communication, exposed);
	idle -= known_share(input) + known_share(wait) + known_share(host);
	if (idle <= 0)
		return;
	if (idle > known_share(host))
		d->host = "on the host while the device waits for it";
	move(compute, host, idle);
}

/* What retries of the allocator took at least, by the rank's memory snapshot; 0 without one. */
static double of_retries(const struct decision *d)
{
	double share;

	return ts_measure_value(d->m, TS_M_SNAPSHOT_RETRY_TIME, TS_NO_SUBJECT, &share) && isfinite(share) ? share : 0;
}

static void take_snapshot(struct decision *d, struct ts_bound_share *compute, struct ts_bound_share *host)
{
	double share = of_retries(d);

	if (!compute->known || !(share > 0))
		return;
	if (share > known_share(host))
		d->host = "waiting while the allocator asks the device for memory again";
	move(compute, host, share);
}

/* Whether most of the time in other phases is that of compiling. */
static bool compiles(const struct decision *d, const struct ts_bound_share *other)
{
	double share;

	return ts_measure_value(d->m, TS_M_PHASE_SHARE, ts_span_str("compile"), &share) && isfinite(share) && other->known &&
	       share > other->share / 2;
}

static void shares(struct decision *d)
{
	struct ts_bound_share useful = line(d, TS_LINE_USEFUL), overhead = line(d, TS_LINE_OVERHEAD);
	struct ts_bound_share input = line(d, TS_LINE_DATA), communication = line(d, TS_LINE_COMM);
	struct ts_bound_share wait = line(d, TS_LINE_WAIT), other = line(d, TS_LINE_OTHER);
	struct ts_bound_share unclassified = line(d, TS_LINE_UNCLASSIFIED), unattributed = line(d, TS_LINE_UNATTRIBUTED);
	struct ts_bound_share compute = useful.known ? plus(useful, overhead) : useful;
	struct ts_bound_share *out = d->out.shares;

	take_job(d, &input, &compute, &communication, &wait, &other, &unclassified, &unattributed);
	d->unclassified = unclassified.known ? unclassified.share : 0;
	out[0] = input;
	out[1] = compute;
	out[2] = communication;
	out[3] = wait;
	out[4] = other.known ? plus(other, unattributed)
		 : unattributed.known && unattributed.share >= TS_BOUND_WORTH ? unattributed : other;
	if (unattributed.known && (!other.known || unattributed.share > 2 * other.share))
		d->host = "outside all phases";
	else if (!unattributed.known || other.share > 2 * unattributed.share)
		d->host = compiles(d, &other) ? "in other phases, most of it compiling"
					      : "in other phases, such as evaluation or checkpoints";
	else
		d->host = compiles(d, &other) ? "compiling, in other phases, and outside all phases"
					      : "in other phases, such as evaluation or checkpoints, and outside all phases";
	take_trace(d, &out[0], &out[1], &out[2], &out[3], &out[4]);
	take_snapshot(d, &out[1], &out[4]);
	for (int i = 0; i < SHARES; i++)
		out[i].kind = (enum ts_bound_kind)(TS_BOUND_INPUT + i);
	if (other.known && !unattributed.known)
		cannot_tell(d,
			    kept(d, ts_arena_printf(d->arena, "How much time is outside all phases is not known: %.*s.",
						    TS_SPAN_ARG(unattributed.reason))));
}

/* The largest known share among those that reach their limit, leaving out `skip`; NULL if none does. */
static const struct ts_bound_share *greatest(const struct decision *d, const struct ts_bound_share *skip)
{
	const struct ts_bound_share *best = NULL;

	for (int i = 0; i < SHARES; i++) {
		const struct ts_bound_share *s = &d->out.shares[i];
		const char *code = kinds[s->kind].code;

		if (s->known && s != skip && code && s->share >= ts_rule_threshold(NULL, code, kinds[s->kind].threshold) &&
		    (!best || s->share > best->share))
			best = s;
	}
	return best;
}

/* The share that long steps take at least: a record that comes every N steps may have the time of one of them. */
static double stalls(const struct decision *d)
{
	double share, every = 1;

	(void)ts_measure_value(d->m, TS_M_STEP_EVERY, TS_NO_SUBJECT, &every);
	return ts_measure_value(d->m, TS_M_STEP_STALL, TS_NO_SUBJECT, &share) && isfinite(share) ? share / fmax(every, 1) : 0;
}

static bool is_unclassified(const struct decision *d)
{
	return d->unclassified >= 1 - TS_BOUND_COMPUTE_LEAST;
}

static struct ts_span unclassified_sentence(struct decision *d)
{
	return kept(d, ts_arena_printf(d->arena,
				       "%s: what was done in %s of the wall time is not recorded; marks of forward, backward and "
				       "optimizer would show it, or a trace",
				       cannot_show, ts_say_percent(d->unclassified).text));
}

static void verdict(struct decision *d)
{
	const struct ts_bound_share *best = greatest(d, NULL), *next, *compute = &d->out.shares[1];
	struct ts_bound *b = &d->out;
	const char *rest;

	if (best) {
		next = greatest(d, best);
		rest = next ? ts_arena_printf(d->arena, ", and %s %s", ts_say_percent(next->share).text, doing(d, next))
			    : "";
		b->kind = best->kind;
		b->sentence = kept(d, ts_arena_printf(d->arena, "%s-bound: %s of the wall time is spent %s%s",
						      kinds[b->kind].word, ts_say_percent(best->share).text,
						      doing(d, best), rest ? rest : ""));
		return;
	}
	if (stalls(d) >= TS_BOUND_STALLS_LEAST) {
		b->kind = TS_BOUND_STALLS;
		b->sentence = kept(d, ts_arena_printf(d->arena, "stalls: a few long steps take %s of the time",
						      ts_say_percent(stalls(d)).text));
		return;
	}
	if (compute->known && compute->share >= TS_BOUND_COMPUTE_LEAST) {
		b->kind = TS_BOUND_COMPUTE;
		b->sentence = kept(d, ts_arena_printf(d->arena, "compute-bound: %s of the wall time is spent computing",
						      ts_say_percent(compute->share).text));
		return;
	}
	if (is_unclassified(d)) {
		b->kind = TS_BOUND_UNKNOWN;
		b->sentence = unclassified_sentence(d);
		return;
	}
	b->kind = TS_BOUND_BALANCED;
	for (int i = 0; i < SHARES; i++) {
		const struct ts_bound_share *s = &b->shares[i];

		if (s->known && s->kind != TS_BOUND_COMPUTE && (!best || s->share > best->share))
			best = s;
	}
	if (best && compute->known)
		b->sentence = kept(d, ts_arena_printf(d->arena,
						      "balanced: %s of the wall time is spent computing; the next "
						      "largest share, %s, is spent %s",
						      ts_say_percent(compute->share).text,
						      ts_say_percent(best->share).text, doing(d, best)));
	else
		b->sentence = ts_span_str("balanced: none of the known shares of the wall time is large");
}

/* The rank of a fix by what it could win back, in coarse steps: finer ones would claim a precision that the estimate
 * lacks. */
static int rank_of(double wins)
{
	static const double steps[] = {0.2, 0.1, 0.05, 0.02};
	int i = 0;

	while (i < (int)(sizeof steps / sizeof steps[0]) && wins < steps[i])
		i++;
	return i;
}

/* A fix that may fit, as it is ordered. */
struct ordered {
	const struct ts_play *play;
	bool asked;	   /* it is against what the run is bound by */
	double expected;   /* what it may win, by the part of its cause that such a fix can win */
	double most;	   /* what it wins at most, if something bounds it */
	const char *check; /* NULL: its conditions are true, and something bounds it */
};

TS_ORDER(by_worth, struct ordered, TS_DOWN(asked); TS_BY(rank_of(a->expected), rank_of(b->expected)); TS_UP(play->effort);
	 TS_UP(play))

/* The share of time that fixes against a cause can win from; that of long steps lies inside the others, so it counts only where it
 * is the verdict. */
static double share_against(const struct decision *d, enum ts_bound_kind kind)
{
	const struct ts_bound_share *s;

	if (kind == TS_BOUND_STALLS)
		return d->out.kind == kind ? stalls(d) : 0;
	s = &d->out.shares[kind - TS_BOUND_INPUT];
	return s->known ? s->share : 0;
}

static bool traced(const struct decision *d)
{
	return of_trace(d, TS_TIME_SPAN) > 0;
}

static struct ts_span how_of(struct decision *d, const struct ts_play *p)
{
	struct ts_span place = p->place ? p->place(d->m) : ts_span_str("");

	if (!place.len)
		return ts_span_str(p->how);
	return kept(d, ts_arena_printf(d->arena, "%s; most often at %.*s", p->how, TS_SPAN_ARG(place)));
}

static double less(double a, double b)
{
	return a < b ? a : b;
}

/* What a fix may win, and at most; false where that is too little, or where the record rules the fix out. */
static bool weigh(struct decision *d, const struct ts_play *p, struct ordered *ret)
{
	struct ts_bound_share overhead = line(d, TS_LINE_OVERHEAD);
	double share = share_against(d, p->of), most = 0;
	enum ts_condition ask;
	enum ts_fit fit = ts_play_fits(p, d->m, &ask);
	bool bounded = p->most && p->most(d->m, share, &most);

	if (fit == TS_FIT_NO || (p->if_bounded && !bounded))
		return false;
	if (p->overhead && overhead.known)
		share = less(share, overhead.share);
	if (p->of == TS_BOUND_COMMUNICATION && traced(d))
		share = less(share, of_trace(d, TS_TIME_EXPOSED_COMMUNICATION));
	*ret = (struct ordered){.play = p, .asked = p->of == d->out.kind, .most = bounded ? less(most, share) : share};
	ret->expected = less(p->part * share_against(d, p->of), ret->most);
	if (fit == TS_FIT_ASKED)
		ret->check = ts_condition_words(ask)->check;
	else if (!bounded)
		ret->check = p->check;
	return ret->expected >= TS_BOUND_WORTH;
}

static void add_fix(struct decision *d, const struct ordered *o)
{
	struct ts_bound *b = &d->out;
	struct ts_fix fix = {.name = ts_span_str(o->play->name),
			     .how = how_of(d, o->play),
			     .costs = ts_span_str(o->play->costs ? o->play->costs : ""),
			     .source = ts_span_str(o->play->source),
			     .of = o->play->of,
			     .wins_most_ratio = o->most,
			     .effort = o->play->effort};

	if (o->check)
		b->to_check[b->n_to_check++] =
			(struct ts_to_check){fix.name, fix.how, ts_span_str(o->check), fix.costs, fix.source, fix.of, fix.effort};
	else
		b->fixes[b->n_fixes++] = fix;
}

static void fixes(struct decision *d)
{
	struct ts_bound *b = &d->out;
	struct ordered *all = ts_arena_array(d->arena, ts_playbook_n, sizeof *all);
	size_t n = 0;

	b->fixes = ts_arena_array(d->arena, ts_playbook_n, sizeof *b->fixes);
	b->to_check = ts_arena_array(d->arena, ts_playbook_n, sizeof *b->to_check);
	if (!all || !b->fixes || !b->to_check) {
		d->failed = true;
		return;
	}
	for (size_t i = 0; i < ts_playbook_n; i++)
		n += weigh(d, &ts_playbook[i], &all[n]);
	TS_SORT(all, n, by_worth);
	for (size_t i = 0; i < n; i++)
		add_fix(d, &all[i]);
}

static void say_memory(struct decision *d)
{
	struct ts_error err;

	d->failed |= ts_memory_advise(d->m, d->arena, &d->out.memory, &err) != TS_OK;
	if (d->out.memory.reason.len)
		cannot_tell(d, kept(d, ts_arena_printf(d->arena, "Whether memory limits the run is not known: %.*s.",
						       TS_SPAN_ARG(d->out.memory.reason))));
	if (of_retries(d) > 0)
		cannot_tell(d, ts_span_str("What retries of the allocator cost is known only for the time that the snapshot's events "
					   "cover."));
}

static void say_unknowns(struct decision *d)
{
	static const char *const what[SHARES] = {"How long steps wait for data", "How much time is spent computing",
						 "How much time the transfer between ranks takes",
						 "How long ranks wait for slower ones",
						 "How much time the host takes outside the steps"};
	static const char host_times[] =
		"Phases are measured on the host: without synchronization or a trace, GPU time counts in "
		"the first phase that waits for it.";
	static const char by_trace[] =
		"What the device did is known for the steps of the trace alone, whose recording slows the host down.";
	const struct ts_measure *mfu = ts_measure_find(d->m, TS_M_MFU, TS_NO_SUBJECT);
	double missing, logged;

	for (int i = 0; i < SHARES; i++)
		if (!d->out.shares[i].known)
			cannot_tell(d, kept(d, ts_arena_printf(d->arena, "%s is not known: %.*s.", what[i],
							       TS_SPAN_ARG(d->out.shares[i].reason))));
	if (d->out.shares[1].known)
		cannot_tell(d, ts_span_str(traced(d) ? by_trace : host_times));
	if (mfu && !mfu->known &&
	    (ts_measure_value(d->m, TS_M_LOGGED_MFU, TS_NO_SUBJECT, &logged) ||
	     ts_measure_value(d->m, TS_M_LOGGED_RATE_SHARE, TS_NO_SUBJECT, &logged)))
		cannot_tell(d, kept(d, ts_arena_printf(d->arena,
						       "How close computing comes to the peak of the device is taken from what the run "
						       "logs, an MFU of %s, and cannot be checked: %.*s.",
						       ts_say_percent(logged).text, TS_SPAN_ARG(mfu->reason))));
	else if (mfu && !mfu->known)
		cannot_tell(d,
			    kept(d, ts_arena_printf(
					    d->arena,
					    "How close computing comes to the peak of the device is not known: %.*s.",
					    TS_SPAN_ARG(mfu->reason))));
	if (ts_measure_value(d->m, TS_M_RANKS_MISSING, TS_NO_SUBJECT, &missing) && missing > 0)
		cannot_tell(d, kept(d, ts_arena_printf(
					       d->arena,
					       "What %s did is not known, because the run does not have their steps.",
					       ts_say_plural(missing, "missing rank").text)));
}

static struct ts_span undecided(struct decision *d, double steps)
{
	if (steps <= 0)
		return kept(d, ts_arena_printf(d->arena, "%s: it has no steps whose time is known, and the verdict needs %d",
					       cannot_show, TS_BOUND_STEPS));
	if (steps < TS_BOUND_STEPS)
		return kept(d, ts_arena_printf(d->arena, "%s: it has only %s, and the verdict needs %d", cannot_show,
					       ts_say_plural(steps, "step").text, TS_BOUND_STEPS));
	if (is_unclassified(d))
		return unclassified_sentence(d);
	return kept(d, ts_arena_printf(d->arena, "%s: %.*s", cannot_show, TS_SPAN_ARG(d->out.shares[0].reason)));
}

enum ts_status ts_bound_decide(const struct ts_measures *measures, struct ts_arena *arena, struct ts_bound *ret_bound,
			       struct ts_error *err)
{
	struct decision d = {.m = measures, .arena = arena};
	double steps = 0;
	bool any = false;

	TS_DOOR(ts_measures_hold(measures));
	(void)ts_measure_value(measures, TS_M_STEP_COUNT, TS_NO_SUBJECT, &steps);
	shares(&d);
	for (int i = 0; i < SHARES; i++)
		any |= d.out.shares[i].known;
	if (steps < TS_BOUND_STEPS || (!any && stalls(&d) < TS_BOUND_STALLS_LEAST)) {
		d.out.kind = TS_BOUND_UNKNOWN;
		d.out.sentence = undecided(&d, steps);
	} else {
		verdict(&d);
		fixes(&d);
		say_unknowns(&d);
	}
	say_memory(&d);
	if (d.failed)
		return ts_arena_error(arena, err);
	*ret_bound = d.out;
	return TS_OK;
}
