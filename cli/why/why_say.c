#include "cli/why/why_say.h"

#include "cli/view/show_value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_SHOWN = 6, COMMIT_SHOWN = 12 };

struct saying {
	const struct ts_why_problem *p;
	struct ts_arena *arena;
	const struct ts_why_known *known; /* of A, of B */
	const char *operation;
};

#define SAY(s, ...) ts_arena_phrase((s)->arena, __VA_ARGS__)

static struct ts_span span(const char *text)
{
	return ts_span_str(text ? text : "");
}

/* "config.lr (0.1, and 0.2 in B) and config.wd", of what is in a set. */
static const char *names(const struct saying *s, const struct ts_factor_set *set)
{
	size_t n = ts_factor_count(set), shown = 0;
	const char *text = "";

	for (size_t i = 0; i < s->p->n; i++) {
		const struct ts_why_value *v = &s->p->values[i];

		if (!ts_factor_in(set, i))
			continue;
		if (shown == NAMES_SHOWN)
			return SAY(s, "%s and %zu more", text, n - shown);
		text = SAY(s, "%s%s%.*s", text, !shown ? "" : shown + 1 == n ? " and " : ", ", TS_SPAN_ARG(v->path));
		shown++;
	}
	return text;
}

static const char *values(const struct saying *s, const struct ts_factor_set *set)
{
	for (size_t i = 0; i < s->p->n; i++) {
		const struct ts_why_value *v = &s->p->values[i];

		if (ts_factor_in(set, i) && v->own && ts_factor_count(set) == 1)
			return SAY(s, " (%s in A, %s in B)", v->side[0] ? "set" : "not set", v->side[1] ? "set" : "not set");
		if (ts_factor_in(set, i) && ts_factor_count(set) == 1 && s->p->factors[i].kind != TS_FACTOR_CODE)
			return SAY(s, " (%s in A, %s in B)", v->side[0] ? ts_show_text(span(v->side[0]), s->arena) : "not set",
				   v->side[1] ? ts_show_text(span(v->side[1]), s->arena) : "not set");
	}
	return "";
}

static char side_of(const struct ts_root_cause *c)
{
	return c->side == TS_LIKE_A ? 'A' : 'B';
}

static const char *set_sentence(const struct saying *s, const struct ts_root_cause *c, const struct ts_why_cause *why, size_t i)
{
	size_t n = ts_factor_count(&c->set);
	const char *act = c->alone ? " is enough without that: with it alone, A gives B's result"
			  : n > 1  ? " together make A into B"
				   : " makes A into B";
	const char *text = SAY(s, "%s%s%s", names(s, &c->set), values(s, &c->set), act);

	if (i && !c->alone)
		text = SAY(s, "From step %" PRId64 " on, %s", c->step, text);
	if (why->commit.len && !why->commit_last.len)
		text = SAY(s, "%s; the first commit that differs is %.*s (%.*s)", text, COMMIT_SHOWN, (const char *)why->commit.data,
			   TS_SPAN_ARG(why->commit_subject));
	else if (why->commit.len)
		text = SAY(s, "%s; the first commit that differs is one from %.*s to %.*s, which cannot be told apart", text,
			   COMMIT_SHOWN, (const char *)why->commit.data, COMMIT_SHOWN, (const char *)why->commit_last.data);
	if (why->commit_whole.len && !ts_span_eq(why->commit_whole, why->commit) && !why->commit_last.len)
		text = SAY(s, "%s, and only from %.*s on is the result that of B", text, COMMIT_SHOWN,
			   (const char *)why->commit_whole.data);
	if (!ts_factor_count(&c->needed))
		text = SAY(s, "%s. They cannot be parted: a run with a part of them cannot be made", text);
	else if (!ts_factor_sets_equal(&c->set, &c->needed))
		text = SAY(s, "%s. %zu of them are needed; the others could not be left out, because such a run cannot be made", text,
			   ts_factor_count(&c->needed));
	if (!c->put_back && !c->alone)
		text = SAY(s, "%s. B with it put back is not A again: something else that differs has an effect, too", text);
	return SAY(s, "%s.", text);
}

/* "the variable X, the file Y", of what is not as it was. */
static const char *things(const struct saying *s, const struct ts_root_cause *c)
{
	const struct ts_why_things *gone = &s->known[c->side == TS_LIKE_B].gone;
	const char *text = "";

	for (size_t i = 0; i < gone->n && i < NAMES_SHOWN; i++)
		text = SAY(s, "%s%s%s", text,
			   !i		      ? ""
			   : i + 1 == gone->n ? " and "
					      : ", ",
			   ts_why_thing_text(&gone->items[i], s->arena));
	return gone->n > NAMES_SHOWN ? SAY(s, "%s and %zu more", text, gone->n - NAMES_SHOWN) : text;
}

static const char *again_sentence(const struct saying *s, const struct ts_root_cause *c)
{
	const struct ts_why_known *known = &s->known[c->side == TS_LIKE_B];
	const char *text =
		SAY(s, "%c's result did not come back in %s of its own recipe, so it comes in at most %.0f %% of them (95 %%).",
		    side_of(c), ts_show_plural(c->repeats, "rerun", s->arena), 100 * ts_comes_at_most(c->repeats));

	if (c->found == TS_ROOT_GONE)
		return SAY(s,
			   "%s Of all that tscope records of what goes into a run, only this is not as it was then: %s. It made the "
			   "difference, or %c had a fault that came once.",
			   text, things(s, c), side_of(c));
	text = SAY(s, "%s It came once, or something made it that is not here as it was then.", text);
	if (known->gone.n)
		text = SAY(s, "%s Not as it was: %s.", text, things(s, c));
	if (known->lacks || !known->compared)
		text = SAY(s, "%s What would tell is not in the record: %s.", text, known->lacks ? known->lacks : "that of a rerun");
	return text;
}

static const char *undecided_sentence(const struct saying *s, const struct ts_root_cause *c)
{
	size_t n = ts_factor_count(&c->set);
	const char *remains = n ? SAY(s, " What remains: %s.", names(s, &c->set)) : "";

	switch (c->undecided) {
	case TS_UNDECIDED_BUDGET:
		return SAY(s, "The runs that were allowed are used up.%s", remains);
	case TS_UNDECIDED_UNTESTABLE:
		return SAY(s, "A run on which everything depends could not be made.%s", remains);
	case TS_UNDECIDED_SCATTER:
		return SAY(s,
			   "Runs of one recipe differ from one another, and B lies neither within that scatter nor clearly outside of "
			   "it.%s",
			   remains);
	case TS_UNDECIDED_NOT:
	case TS_UNDECIDED_CONTRADICTS:
	case TS_UNDECIDED_WORDS:
		break;
	}
	return SAY(s, "Runs contradict each other, as where some do not repeat.%s", remains);
}

static const char *sentence(const struct saying *s, const struct ts_search_verdict *v, const struct ts_root_cause *c,
			    const struct ts_why_cause *why, size_t i)
{
	switch (c->found) {
	case TS_ROOT_SET:
		return set_sentence(s, c, why, i);
	case TS_ROOT_HERE:
		return SAY(s,
			   "A variable of this environment that no run recorded makes A into B: %s. Without it, A comes out as it was "
			   "recorded.",
			   names(s, &c->set));
	case TS_ROOT_ONE_OFF:
		return SAY(
			s,
			"%c had a fault that does not come back: all that tscope records of what goes into a run is the same here, and "
			"%s of its recipe "
			"give the other result (so it comes in at most %.0f %% of runs, by 95 %%).",
			side_of(c), ts_show_plural(c->repeats, "rerun", s->arena), 100 * ts_comes_at_most(c->repeats));
	case TS_ROOT_GONE:
	case TS_ROOT_NOT_AGAIN:
		return again_sentence(s, c);
	case TS_ROOT_PATCH:
		return SAY(s,
			   "%c had changes of code that were not committed, and their text is not to be had; what was recorded of it "
			   "gives "
			   "another result.",
			   side_of(c));
	case TS_ROOT_NONDETERMINISM:
		return v->deterministic
			       ? "Runs of one recipe differ from one another, and with deterministic kernels A and B are equal."
			       : "Runs of one recipe differ from one another, and B lies within that scatter.";
	case TS_ROOT_ELSEWHERE:
		return "Neither run can be made again here, though reruns repeat: this machine or its environment is not theirs.";
	case TS_ROOT_UNDECIDED:
	case TS_ROOT_KINDS:
		break;
	}
	return undecided_sentence(s, c);
}

static struct ts_span shown_value(const struct saying *s, size_t i, size_t side)
{
	const struct ts_why_value *v = &s->p->values[i];

	return span(v->own && v->side[side] ? "(set)" : v->side[side]);
}

static enum ts_status facts(const struct saying *s, const struct ts_root_cause *c, struct ts_why_cause *why, struct ts_error *err)
{
	why->facts = ts_arena_array(s->arena, ts_factor_count(&c->set) + 1, sizeof *why->facts);
	if (!why->facts)
		return ts_arena_error(s->arena, err);
	for (size_t i = 0; i < s->p->n; i++)
		if (ts_factor_in(&c->set, i))
			why->facts[why->n_facts++] = (struct ts_why_fact){s->p->values[i].path, shown_value(s, i, 0),
									  shown_value(s, i, 1), ts_factor_in(&c->needed, i)};
	return TS_OK;
}

static enum ts_status commits(const struct saying *s, const struct ts_root_cause *c, struct ts_why_cause *why, struct ts_error *err)
{
	const char *first, *last, *whole;

	if (!c->commit_first)
		return TS_OK;
	if (ts_why_commit(s->p, c->commit_first, s->arena, &first, err) || ts_why_commit(s->p, c->commit_last, s->arena, &last, err))
		return err->status;
	why->commit = span(first);
	why->commit_subject = span(ts_why_subject(s->p, first, s->arena));
	if (c->commit_last != c->commit_first)
		why->commit_last = span(last);
	if (c->commit_whole && ts_why_commit(s->p, c->commit_whole, s->arena, &whole, err))
		return err->status;
	if (c->commit_whole)
		why->commit_whole = span(whole);
	return TS_OK;
}

static enum ts_status gone(const struct saying *s, const struct ts_root_cause *c, struct ts_why_cause *why, struct ts_error *err)
{
	const struct ts_why_things *all = &s->known[c->side == TS_LIKE_B].gone;

	why->gone = ts_arena_array(s->arena, all->n + 1, sizeof *why->gone);
	if (!why->gone)
		return ts_arena_error(s->arena, err);
	for (size_t i = 0; i < all->n; i++)
		why->gone[why->n_gone++] = span(ts_why_thing_text(&all->items[i], s->arena));
	return TS_OK;
}

static enum ts_status cause(const struct saying *s, const struct ts_search_verdict *v, size_t i, struct ts_why_cause *why,
			    struct ts_error *err)
{
	const struct ts_root_cause *c = &v->causes[i];
	/* What has no set keeps none: all that differs is no cause. */
	bool has_set = c->found == TS_ROOT_SET || c->found == TS_ROOT_HERE || c->found == TS_ROOT_UNDECIDED;

	*why = (struct ts_why_cause){.found = span(ts_root_word(c->found)),
				     .undecided = span(ts_undecided_word(c->undecided)),
				     .step = c->step,
				     .put_back = c->put_back,
				     .to_end = c->to_end,
				     .alone = c->alone,
				     .repeats = c->repeats};
	if ((c->found == TS_ROOT_GONE || c->found == TS_ROOT_NOT_AGAIN) && gone(s, c, why, err))
		return err->status;
	if ((has_set && facts(s, c, why, err)) || (c->found == TS_ROOT_SET && commits(s, c, why, err)))
		return err->status;
	why->sentence = span(sentence(s, v, c, why, i));
	why->operation = span(i ? NULL : s->operation);
	return TS_OK;
}

static enum ts_status trial(const struct saying *s, const struct ts_why_runs *r, size_t i, bool planned, struct ts_why_trial *ret,
			    struct ts_error *err)
{
	static const char *const likes[] = {[TS_LIKE_A] = "a", [TS_LIKE_B] = "b"};
	const struct ts_trial *t = &r->answers[i].trial;
	const struct ts_trial_result *result = &r->answers[i].outcome;
	const struct ts_why_run *run = &r->runs[i];

	*ret = (struct ts_why_trial){.number = i + 1,
				     .why = span(ts_trial_why_word(t->why)),
				     .what = span(ts_why_trial_text(s->p, t, s->arena)),
				     .from_b = ts_arena_array(s->arena, s->p->n + 1, sizeof(struct ts_span)),
				     .commit = span(run->commit),
				     .deterministic = t->deterministic,
				     .stop = t->stop,
				     .repeat = t->repeat,
				     .steps = (uint64_t)ts_trial_steps(&s->p->search, t),
				     .problem = span(run->kept.problem),
				     .folder = span(run->kept.folder),
				     .seconds = run->kept.seconds};
	if (!ret->from_b)
		return ts_arena_error(s->arena, err);
	for (size_t k = 0; k < s->p->n; k++)
		if (ts_factor_in(&t->from_b, k))
			ret->from_b[ret->n_from_b++] = s->p->values[k].path;
	ret->result = span(planned			  ? "planned"
			   : result->untestable		  ? "untestable"
			   : result->like < TS_LIKE_OTHER ? likes[result->like]
							  : "other");
	return TS_OK;
}

/* The whole in one sentence: the first cause, and how many there are. */
static const char *whole(const struct saying *s, const struct ts_search_verdict *v, const struct ts_why *why, bool planned)
{
	const char *first = SAY(s, "%.*s", TS_SPAN_ARG(why->causes[0].sentence));
	bool settable = false;

	for (size_t i = 0; i < s->p->n; i++)
		settable |= s->p->factors[i].kind != TS_FACTOR_HERE;
	if (planned && !settable)
		return "Nothing that differs can be set by the command: runs can only show whether A and B come out again.";
	if (planned)
		return SAY(s, "If the likeliest fact is the cause, %s of %s in all find and prove it.",
			   ts_show_plural(why->runs, "run", s->arena), ts_show_plural(why->steps, "step", s->arena));
	if (v->proved)
		return SAY(s, "%s%s Proved: each is needed, B with it put back gives A, and A with it gives B to the end.",
			   v->n_causes > 1 ? "There is more than one cause. " : "", first);
	return first;
}

enum ts_status ts_why_say(const struct ts_why_runs *runs, const struct ts_search_verdict *verdict, bool planned, struct ts_why *ret_why,
			  struct ts_error *err)
{
	const struct saying s = {runs->problem, &runs->problem->cli->arena, runs->known, runs->operation};
	struct ts_why *why = ret_why;

	*why = (struct ts_why){.a = runs->problem->diff.a,
			       .b = runs->problem->diff.b,
			       .decided = !planned,
			       .proved = !planned && verdict->proved,
			       .deterministic = verdict->deterministic,
			       .placed = verdict->placed,
			       .only_here = verdict->only_here,
			       .causes = ts_arena_array(s.arena, verdict->n_causes, sizeof *why->causes),
			       .n_causes = planned ? 0 : verdict->n_causes,
			       .trials = ts_arena_array(s.arena, runs->n + 1, sizeof *why->trials),
			       .n_trials = runs->n,
			       .fixed = runs->problem->fixed,
			       .n_fixed = runs->problem->n_fixed,
			       .runs = runs->n,
			       .search_s = runs->spent_s};
	if (!why->causes || !why->trials)
		return ts_arena_error(s.arena, err);
	for (size_t i = 0; i < verdict->n_causes; i++) {
		if (cause(&s, verdict, i, &why->causes[i], err))
			return err->status;
		why->decided &= ts_root_decided(verdict->causes[i].found);
	}
	for (size_t i = 0; i < runs->n; i++) {
		if (trial(&s, runs, i, planned, &why->trials[i], err))
			return err->status;
		why->steps += why->trials[i].steps;
		why->seconds += why->trials[i].seconds;
	}
	why->runs += runs->more_runs;
	why->steps += (uint64_t)runs->more_steps;
	why->seconds += runs->more_s;
	why->sentence = span(whole(&s, verdict, why, planned));
	return ts_arena_check(s.arena, err);
}

/* Whom a run would be like if the likeliest fact alone were the cause. */
static struct ts_trial_result supposed(const struct ts_why_problem *p, const struct ts_trial *t)
{
	size_t likeliest = 0;

	for (size_t i = 1; i < p->n; i++)
		if (p->factors[i].kind != TS_FACTOR_HERE && p->factors[i].weight > p->factors[likeliest].weight)
			likeliest = i;
	if (p->factors[likeliest].kind == TS_FACTOR_CODE && t->commit)
		return (struct ts_trial_result){.like = t->commit * 2 > p->n_commits, .parts_from_b = p->first};
	return (struct ts_trial_result){.like = ts_factor_in(&t->from_b, likeliest), .parts_from_b = p->first};
}

enum ts_status ts_why_plan(struct ts_why_runs *runs, struct ts_why *ret_why, struct ts_error *err)
{
	const struct ts_why_problem *p = runs->problem;
	struct ts_search_step step;
	struct ts_arena arena;
	enum ts_status status;

	ts_arena_init(&arena, 64 << 20);
	while (!(status = ts_search_next(&p->search, runs->answers, runs->n, &arena, &step, err)) && !step.done) {
		runs->answers[runs->n] = (struct ts_trial_answer){step.trial, supposed(p, &step.trial)};
		runs->n++;
		ts_arena_reset(&arena);
	}
	ts_arena_finish(&arena);
	return status ? status : ts_why_say(runs, &step.verdict, true, ret_why, err);
}
