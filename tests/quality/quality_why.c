/* quality_why.c - how often the search by experiments names the cause of a difference, and a wrong one, in drawn worlds.
 *
 * A world knows what acts: causes, each a group of factors that act together from some step on, and perhaps something that nobody
 * recorded, a fault that came once, noise, or groups that cannot be run. A run is the list of what acted in it, by step; two runs are
 * equal as far as their lists are. Nothing of the search is used but its door: the world answers the trials that it asks for.
 */
#include "quality_parts.h"

#include "experiment/search.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	END = 60,
	FACTORS = 24,
	CAUSES = 3,
	EVENTS = 24,
	RUNS = 200,
	ROW = 40,
	COMMITS = 16,
	TRIALS = 600,
};

enum kind {
	ONE_OF_TWELVE,
	TWO_TOGETHER,
	TWO_BESIDE,
	THREE_TOGETHER,
	COMMIT,
	COMMIT_AND_SETTING,
	TWO_COMMITS,
	EITHER_OF_TWO,
	TWO_STEPS,
	LATER_FLIP,
	SOME_UNTESTABLE,
	BROKEN_COMMITS,
	GONE,
	HERE,
	FLIP_WHOLE,
	FLIP_NOT_WHOLE,
	FLIP_OF_A,
	LOST_PATCH,
	ELSEWHERE,
	RARE_NOISE,
	RARE_NOISE_AND_SETTING,
	NOISE,
	NOISE_CURABLE,
	NOISE_AND_SETTING,
	NOISE_CURABLE_AND_SETTING,
	KINDS
};

static const struct {
	const char *name;
	double right; /* at least; 0: none has to be */
	double wrong; /* at most */
} kinds[KINDS] = {
	[ONE_OF_TWELVE] = {"one fact of twelve", 0.98, 0.01},
	[TWO_TOGETHER] = {"two facts that act only together", 0.98, 0.01},
	[TWO_BESIDE] = {"two facts that act each for itself", 0.98, 0.01},
	[THREE_TOGETHER] = {"three facts that act only together", 0.98, 0.01},
	[COMMIT] = {"one commit of 16", 0.98, 0.01},
	[COMMIT_AND_SETTING] = {"a commit and a setting together", 0.98, 0.01},
	[TWO_COMMITS] = {"two commits of 16", 0.98, 0.01},
	[EITHER_OF_TWO] = {"either of two facts is enough", 0.98, 0.01},
	[TWO_STEPS] = {"a second fact acts later", 0.98, 0.01},
	[LATER_FLIP] = {"a fault that came once, after a fact", 0.98, 0.01},
	[SOME_UNTESTABLE] = {"a fact; of each two one cannot be set alone", 0.98, 0.01},
	[BROKEN_COMMITS] = {"one commit of 16, a third do not build", 0.98, 0.01},
	[GONE] = {"something unrecorded that is gone", 0.98, 0.01},
	[HERE] = {"something unrecorded that is here", 0.98, 0.01},
	[FLIP_WHOLE] = {"a fault that came once, whole record", 0.98, 0.01},
	[FLIP_NOT_WHOLE] = {"a fault that came once, record not whole", 0.98, 0.01},
	[FLIP_OF_A] = {"a fault of A that came once, whole record", 0.98, 0.01},
	[LOST_PATCH] = {"changes of code that are lost", 0.98, 0.01},
	[ELSEWHERE] = {"another machine, where both differ", 0.98, 0.01},
	[RARE_NOISE] = {"noise in 2 % of the steps, whole record", 0.85, 0.05},
	[RARE_NOISE_AND_SETTING] = {"a fact, and noise in 1 % of the steps", 0.60, 0.02},
	[NOISE] = {"no run repeats", 0.98, 0.02},
	[NOISE_CURABLE] = {"none repeats, flags cure it", 0.98, 0.02},
	[NOISE_AND_SETTING] = {"a fact, and no run repeats", 0.90, 0.02},
	[NOISE_CURABLE_AND_SETTING] = {"a fact, none repeats, flags cure it", 0.98, 0.01},
};

struct acts { /* what acts in a run */
	int64_t step;
	uint64_t what;
};

struct run {
	struct acts acts[EVENTS];
	size_t n;
	int64_t stop;
	bool deterministic;
	unsigned number; /* its class */
	double row[ROW];
};

struct cause {
	size_t members[3];
	size_t n, commit; /* commit: acts from this one on; 0: not of code */
	int64_t step;
};

/* What is true, written when the world is drawn. */
struct label {
	struct ts_factor_set sets[2]; /* of causes that are facts */
	size_t n_sets;
	bool alone;			   /* each set is enough */
	int64_t later;			   /* the step of a second cause; -1: there is none */
	enum ts_root_kind last;		   /* what the last cause is */
	unsigned side;			   /* of that */
	size_t commit_first, commit_whole; /* of the first set */
};

struct world {
	struct ts_random random;
	struct ts_factor factors[FACTORS];
	size_t n, code; /* code: n where there is none */
	struct cause causes[CAUSES];
	size_t n_causes;
	size_t pairs[6][2]; /* the first of B needs the second of B, to be run at all */
	size_t n_pairs;
	bool broken[COMMITS + 1];
	double rare;	/* noise in this share of the steps */
	double scatter; /* of the rows, where no run repeats; 0: they do */
	double effect;	/* of the cause on the rows */
	bool curable;
	size_t here;	 /* the guilty factor of this machine; SIZE_MAX: none */
	int64_t once[2]; /* A, B: the step of what acted in the recorded run alone; -1: nothing */
	bool one_effect; /* all causes have the same one */
	bool elsewhere;	 /* both were recorded where everything differs */
	struct label label;
	struct run runs[RUNS];
	size_t n_runs;
	unsigned numbers;
	int64_t first;
	enum ts_search_record record;
	bool lost;
};

static void act(struct run *r, int64_t step, uint64_t what)
{
	size_t at = r->n;

	if (step >= r->stop || r->n == EVENTS)
		return;
	while (at && (r->acts[at - 1].step > step || (r->acts[at - 1].step == step && r->acts[at - 1].what > what))) {
		r->acts[at] = r->acts[at - 1];
		at--;
	}
	r->acts[at] = (struct acts){step, what};
	r->n++;
}

/* The first step at which two runs differ, over those that both ran. */
static int64_t parts(const struct run *a, const struct run *b)
{
	int64_t common = a->stop < b->stop ? a->stop : b->stop;

	for (size_t i = 0;; i++) {
		int64_t x = i < a->n ? a->acts[i].step : INT64_MAX, y = i < b->n ? b->acts[i].step : INT64_MAX;

		if (x >= common && y >= common)
			return INT64_MAX;
		if (x != y || a->acts[i].what != b->acts[i].what)
			return x < y ? x : y;
	}
}

/* Is the member of a cause as in B? `from_b` has which factors are. */
static bool acts_now(const struct world *w, const struct cause *c, const struct ts_trial *trial)
{
	for (size_t i = 0; i < c->n; i++)
		if (!ts_factor_in(&trial->from_b, c->members[i]))
			return false;
	if (!c->commit)
		return true;
	if (trial->commit)
		return trial->commit >= c->commit;
	return ts_factor_in(&trial->from_b, w->code);
}

/* Makes the run of a trial; `recorded` is 0 for a rerun here, 'A' or 'B' for what was recorded. */
static bool make(struct world *w, const struct ts_trial *trial, char recorded, struct run *r)
{
	double state = (double)NAN;
	bool acted = false;
	unsigned noisy = 0;

	*r = (struct run){.stop = trial->stop, .deterministic = trial->deterministic};
	for (size_t i = 0; i < w->n_pairs && !recorded; i++)
		if (ts_factor_in(&trial->from_b, w->pairs[i][0]) && !ts_factor_in(&trial->from_b, w->pairs[i][1]))
			return false;
	if (!recorded && w->broken[trial->commit])
		return false;
	for (size_t i = 0; i < w->n_causes; i++)
		if (acts_now(w, &w->causes[i], trial)) {
			act(r, w->causes[i].step, 1000 + i);
			acted = true;
		}
	if (w->one_effect && r->n) {
		r->n = 1;
		r->acts[0].what = 1000;
	}
	if (recorded && w->once[recorded == 'B'] >= 0)
		act(r, w->once[recorded == 'B'], 1);
	if (w->here != SIZE_MAX && (recorded == 'B' || (!recorded && !ts_factor_in(&trial->from_b, w->here))))
		act(r, w->first, 1);
	if (w->elsewhere)
		act(r, 0, recorded ? 1 : 2);
	if (!(trial->deterministic && w->curable))
		for (int64_t t = 0; t < trial->stop; t++)
			if (w->rare > 0 && ts_random_unit(&w->random) < w->rare) {
				act(r, t, ts_random_next(&w->random) | UINT64_C(1) << 40);
				noisy++;
			}
	if (w->scatter > 0 && !(trial->deterministic && w->curable))
		act(r, 0, ts_random_next(&w->random) | UINT64_C(1) << 40);
	for (int64_t t = 0; t < ROW; t++)
		r->row[t] = 1 - 0.01 * (double)t + (noisy ? 1e-4 * ts_random_normal(&w->random) : 0) +
			    (w->scatter > 0 ? quality_ar1(&w->random, 0.9, w->scatter * (double)(t + 4) / ROW, &state) : 0) +
			    (acted && t >= w->first ? w->effect * (double)(t - w->first + 4) / ROW : 0);
	return true;
}

/* Its number: that of the first run with which it is equal, of those that ran as far. */
static void number(struct world *w, struct run *r)
{
	for (size_t i = 0; i < w->n_runs; i++) {
		const struct run *other = &w->runs[i];

		if (other->stop >= r->stop && other->deterministic == r->deterministic && parts(r, other) == INT64_MAX) {
			r->number = other->number;
			return;
		}
	}
	r->number = w->numbers++;
}

static struct ts_trial_result answer(struct world *w, const struct ts_trial *trial)
{
	struct run *r = &w->runs[w->n_runs];

	if (!make(w, trial, 0, r))
		return (struct ts_trial_result){.untestable = true};
	number(w, r);
	w->n_runs++;
	return (struct ts_trial_result){.like = r->number,
					.parts_from_b = parts(r, &w->runs[1]),
					.effects = r->row,
					.n_effects = (size_t)(r->stop < ROW ? r->stop : ROW)};
}

/* A cause of these facts, which the label says is one; together with the one before it or a set of its own. */
static void cause(struct world *w, size_t n, const size_t *members, size_t commit, int64_t step, bool own_set)
{
	struct cause *c = &w->causes[w->n_causes++];
	struct label *l = &w->label;

	l->n_sets += own_set;
	*c = (struct cause){.n = n, .commit = commit, .step = step};
	for (size_t i = 0; i < n; i++) {
		c->members[i] = members[i];
		/* What diff thinks likely is so more often than not. */
		w->factors[members[i]].weight *= 2;
		ts_factor_put(&l->sets[l->n_sets - 1], members[i]);
	}
	if (commit) {
		ts_factor_put(&l->sets[l->n_sets - 1], w->code);
		l->commit_first = l->commit_first ? l->commit_first : commit;
		l->commit_whole = commit;
	}
}

static void draw_causes(struct world *w, enum kind kind, const size_t *m, int64_t step)
{
	struct ts_random *r = &w->random;
	size_t commit = 1 + ts_random_below(r, COMMITS), settings;

	if (kind == TWO_TOGETHER || kind == THREE_TOGETHER)
		cause(w, kind == TWO_TOGETHER ? 2 : 3, m, 0, step, true);
	else if (kind == COMMIT || kind == BROKEN_COMMITS || kind == COMMIT_AND_SETTING)
		cause(w, kind == COMMIT_AND_SETTING, m, commit, step, true);
	else if (kind == ONE_OF_TWELVE || kind == SOME_UNTESTABLE || kind == RARE_NOISE_AND_SETTING || kind == NOISE_AND_SETTING ||
		 kind == NOISE_CURABLE_AND_SETTING || kind == LATER_FLIP || kind == TWO_BESIDE || kind == EITHER_OF_TWO ||
		 kind == TWO_STEPS)
		cause(w, 1, m, 0, step, true);
	if (kind == TWO_BESIDE || kind == EITHER_OF_TWO || kind == TWO_STEPS)
		cause(w, 1, m + 1, 0, kind == TWO_STEPS ? step + 10 : step, kind != TWO_BESIDE);
	if (kind == TWO_COMMITS) {
		commit = 1 + ts_random_below(r, COMMITS / 2);
		cause(w, 0, m, commit, step, true);
		cause(w, 0, m, commit + 1 + ts_random_below(r, COMMITS / 2 - 1), step, false);
	}
	settings = w->n - (w->code < w->n);
	if (kind == SOME_UNTESTABLE)
		for (size_t i = 0; i + 1 < settings && w->n_pairs < 6; i += 2) {
			w->pairs[w->n_pairs][0] = i + (ts_random_next(r) >> 63);
			w->pairs[w->n_pairs][1] = 2 * i + 1 - w->pairs[w->n_pairs][0];
			w->n_pairs++;
		}
	for (size_t i = 1; i < COMMITS && kind == BROKEN_COMMITS; i++)
		w->broken[i] = i != commit && i + 1 != commit && ts_random_below(r, 3) == 0;
}

/* What nobody recorded, and noise. */
static void draw_hidden(struct world *w, enum kind kind, int64_t step)
{
	struct ts_random *r = &w->random;
	struct label *l = &w->label;

	if (kind == GONE || kind == FLIP_WHOLE || kind == FLIP_NOT_WHOLE || kind == LOST_PATCH || kind == LATER_FLIP) {
		w->once[1] = kind == LATER_FLIP ? 40 : step;
		l->last = kind == FLIP_WHOLE ? TS_ROOT_ONE_OFF : kind == LOST_PATCH ? TS_ROOT_PATCH : TS_ROOT_NOT_AGAIN;
		l->side = TS_LIKE_B;
		l->later = kind == LATER_FLIP ? 40 : -1;
	}
	if (kind == FLIP_OF_A) {
		w->once[0] = step;
		l->last = TS_ROOT_ONE_OFF;
		l->side = TS_LIKE_A;
	}
	if (kind == HERE) {
		w->here = w->n + ts_random_below(r, 8);
		for (size_t i = 0; i < 8; i++)
			w->factors[w->n++] = (struct ts_factor){ts_span_str("PATH"), TS_FACTOR_HERE, 1};
		l->last = TS_ROOT_HERE;
	}
	if (kind == ELSEWHERE) {
		w->elsewhere = true;
		l->last = TS_ROOT_ELSEWHERE;
	}
	if (kind == TWO_STEPS)
		l->later = step + 10;
	if (kind == RARE_NOISE || kind == NOISE || kind == NOISE_CURABLE)
		l->last = TS_ROOT_NONDETERMINISM;
	if (kind == RARE_NOISE || kind == RARE_NOISE_AND_SETTING) {
		w->rare = kind == RARE_NOISE ? 0.02 : 0.01;
		w->effect = 0.1;
	}
	if (kind >= NOISE) {
		w->scatter = 0.02;
		w->curable = kind == NOISE_CURABLE || kind == NOISE_CURABLE_AND_SETTING;
		w->effect = 0.04 + 0.2 * ts_random_unit(r); /* at the end 1 to 12 times the scatter */
	}
}

static void draw(struct world *w, enum kind kind)
{
	struct ts_random *r = &w->random;
	size_t m[3], settings = kind == ONE_OF_TWELVE ? 12 : 4 + ts_random_below(r, 8);
	int64_t step = (int64_t)ts_random_below(r, 20);
	bool code = kind == COMMIT || kind == COMMIT_AND_SETTING || kind == TWO_COMMITS || kind == BROKEN_COMMITS;

	w->n = settings + code;
	w->code = code ? settings : SIZE_MAX;
	w->first = step;
	w->here = SIZE_MAX;
	w->once[0] = w->once[1] = -1;
	w->label = (struct label){.later = -1, .last = TS_ROOT_SET};
	w->one_effect = w->label.alone = kind == EITHER_OF_TWO;
	w->record = kind == FLIP_WHOLE || kind == FLIP_OF_A || kind == RARE_NOISE ? TS_RECORD_WHOLE : TS_RECORD_OPEN;
	w->lost = kind == LOST_PATCH;
	for (size_t i = 0; i < w->n; i++)
		w->factors[i] = (struct ts_factor){ts_span_str("config.x"), i == w->code ? TS_FACTOR_CODE : TS_FACTOR_SETTING,
						   exp(ts_random_normal(r))};
	for (size_t i = 0; i < 3;) { /* three different settings */
		m[i] = ts_random_below(r, (uint32_t)settings);
		if ((i > 0 && m[i] == m[0]) || (i > 1 && m[i] == m[1]))
			continue;
		i++;
	}
	draw_causes(w, kind, m, step);
	draw_hidden(w, kind, step);
}

enum score { RIGHT, WRONG, UNDECIDED, NO_DIFFERENCE };

/* Is the set what the label says? A member that cannot be parted from another may be in it, if it is not said to be needed. */
static bool is_set(const struct world *w, const struct ts_root_cause *c, const struct ts_factor_set *set)
{
	struct ts_factor_set more = ts_factor_without(&c->set, set);

	for (size_t i = 0; i < w->n_pairs; i++)
		if (ts_factor_in(set, w->pairs[i][0]))
			ts_factor_take(&more, w->pairs[i][1]);
	return c->found == TS_ROOT_SET && !ts_factor_count(&more) && ts_factor_sets_equal(&c->needed, set);
}

/* Is a world without noise proved, wherever its causes are facts that can be parted? */
static bool must_be_proved(const struct world *w)
{
	return w->label.last == TS_ROOT_SET && !w->n_pairs && !w->label.alone && w->rare <= 0 && w->scatter <= 0;
}

/* The label against the verdict, by the truth of the world alone. */
static enum score judge(const struct world *w, const struct ts_search_verdict *v)
{
	const struct label *l = &w->label;
	const struct ts_root_cause *c = v->causes, *last = &v->causes[v->n_causes - 1];
	size_t n = l->n_sets + (l->last != TS_ROOT_SET);
	bool right = v->n_causes == n && (!must_be_proved(w) || v->proved), open = v->only_here;

	for (size_t i = 0; i < v->n_causes; i++)
		open |= c[i].found == TS_ROOT_UNDECIDED || c[i].found == TS_ROOT_NOT_AGAIN ||
			(c[i].found == TS_ROOT_SET && !ts_factor_sets_equal(&c[i].set, &c[i].needed));
	if (w->rare > 0 && v->n_causes > n) /* Later noise of the recorded run is another cause, and may be said. */
		right = l->n_sets && c[1].found != TS_ROOT_SET;
	for (size_t i = 0; i < l->n_sets && i < v->n_causes; i++)
		right &= is_set(w, &c[i], &l->sets[l->alone && !is_set(w, &c[0], &l->sets[0]) ? 1 - i : i]);
	right &= !l->n_sets || (c->commit_first == l->commit_first && c->commit_last == l->commit_first &&
				(c->commit_whole == l->commit_whole || l->sets[0].words[0] & (l->sets[0].words[0] - 1)));
	if (l->last != TS_ROOT_SET)
		right &= last->found == l->last && last->side == l->side;
	if (l->last == TS_ROOT_HERE)
		right &= ts_factor_count(&c->set) == 1 && ts_factor_in(&c->set, w->here);
	right &= l->later < 0 || last->step == l->later;
	right &= !l->alone || c[1].alone;
	return right ? RIGHT : open ? UNDECIDED : WRONG;
}

struct sums {
	uint64_t n, runs;
	double steps; /* beside those of a short run */
};

static enum score try_world(enum kind kind, struct ts_random *random, struct sums *sums)
{
	static struct world w;
	static struct ts_trial_answer answers[RUNS];
	struct ts_arena arena;
	struct ts_error err;
	struct ts_search_step step = {0};
	struct ts_trial recorded = {.stop = END};
	enum score score = WRONG;
	int64_t acts_at;
	size_t n = 0;

	w = (struct world){.random = *random, .numbers = 2};
	draw(&w, kind);
	(void)make(&w, &recorded, 'A', &w.runs[0]);
	for (size_t i = 0; i < w.n; i++)
		if (w.factors[i].kind != TS_FACTOR_HERE)
			ts_factor_put(&recorded.from_b, i);
	(void)make(&w, &recorded, 'B', &w.runs[1]);
	w.runs[1].number = 1;
	w.n_runs = 2;
	/* On another machine what differs is not drawn: it is from the first step on. Of a fact among rare noise, noise may come
	 * first. */
	acts_at = w.first;
	w.first = w.elsewhere ? 0 : parts(&w.runs[0], &w.runs[1]);
	if (w.first == INT64_MAX || (w.rare > 0 && w.n_causes && w.first != acts_at))
		return NO_DIFFERENCE;
	ts_arena_init(&arena, 64 << 20);
	while (n < RUNS - 2) {
		const struct ts_search search = {.factors = w.factors,
						 .n = w.n,
						 .n_commits = w.code < w.n ? COMMITS : 0,
						 .first = w.first,
						 .end = END,
						 .record = {w.record, w.record},
						 .lost_patch = {false, w.lost},
						 .effects = {w.runs[0].row, w.runs[1].row},
						 .n_effects = {ROW, ROW},
						 .most_runs = 100,
						 .most_steps = 100 * END};

		ts_arena_reset(&arena);
		if (ts_search_next(&search, answers, n, &arena, &step, &err) || step.done)
			break;
		answers[n] = (struct ts_trial_answer){step.trial, answer(&w, &step.trial)};
		n++;
	}
	if (step.done)
		score = judge(&w, &step.verdict);
	sums->n++;
	sums->runs += n;
	sums->steps += (double)step.verdict.steps / (double)(w.first + TS_SEARCH_BEHIND < END ? w.first + TS_SEARCH_BEHIND : END);
	ts_arena_finish(&arena);
	return score;
}

void quality_why(struct quality *q)
{
	uint64_t all = 0, wrong = 0;

	for (size_t k = 0; k < KINDS; k++) {
		struct quality_case right, bad;
		struct sums sums = {0};
		char name[3][96];

		(void)snprintf(name[0], sizeof name[0], "why: %s: right", kinds[k].name);
		(void)snprintf(name[1], sizeof name[1], "why: %s: wrong", kinds[k].name);
		right = quality_at_least(name[0], kinds[k].right);
		bad = quality_at_most(name[1], kinds[k].wrong);
		for (uint64_t i = 0; quality_wants(q, &right) && i < quality_trials(q, TRIALS); i++) {
			struct ts_random r;
			enum score score;

			quality_random(&right, i, &r);
			score = try_world((enum kind)k, &r, &sums);
			if (score == NO_DIFFERENCE)
				continue;
			quality_count(&right, score == RIGHT);
			quality_count(&bad, score == WRONG);
		}
		if (!sums.n)
			continue;
		quality_report(q, &right);
		quality_report(q, &bad);
		all += bad.n;
		wrong += bad.hits;
		(void)printf("  %.1f runs, %.1f times the steps of a short run\n", (double)sums.runs / (double)sums.n,
			     sums.steps / (double)sums.n);
	}
	if (all)
		(void)printf("why: wrong in %" PRIu64 " of %" PRIu64 " worlds\n", wrong, all);
}
