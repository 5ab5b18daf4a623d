/* gate_judge.c - judges every metric of a gate and makes one verdict of them.
 *
 * What is said of the verdict: gate_say.c; where a difference lies: gate_why.c.
 */
#include "analysis/gate/gate_internal.h"
#include "base/words.h"

#include "analysis/answer/say.h"
#include "analysis/stats/stats.h"
#include "analysis/stats/student.h"

#include <math.h>

#define DRIFT_SURE 0.995 /* one-sided, of a drift in either direction */

TS_WORDS(ts_gate_part_word, enum ts_gate_part,
	 "", [TS_GATE_PART_OTHER] = "", [TS_GATE_PART_PHASE] = "phase", [TS_GATE_PART_RANK] = "rank", [TS_GATE_PART_WORK] = "work",
	 [TS_GATE_PART_WAIT] = "wait", [TS_GATE_PART_TRACE] = "trace", [TS_GATE_PART_MEMORY] = "memory",
	 [TS_GATE_PART_MACHINE] = "machine")
TS_WORDS_BACK(ts_gate_part_of, enum ts_gate_part, ts_gate_part_word, TS_GATE_PART_MACHINE, TS_GATE_PART_OTHER)
TS_WORDS(ts_gate_state_word, enum ts_gate_state, "unknown", [TS_GATE_PASS] = "pass", [TS_GATE_REGRESSION] = "regression",
	 [TS_GATE_IMPROVEMENT] = "improvement", [TS_GATE_SUSPECT] = "suspect", [TS_GATE_INCONCLUSIVE] = "inconclusive",
	 [TS_GATE_COLLECTING] = "collecting", [TS_GATE_BLIND] = "blind")

TS_WORDS(ts_gate_role_word, enum ts_gate_role, "unknown", [TS_GATE_CANDIDATE] = "candidate", [TS_GATE_BASELINE] = "baseline",
	 [TS_GATE_HISTORY] = "history", [TS_GATE_PAIR_BASE] = "pair_base", [TS_GATE_PAIR_CANDIDATE] = "pair_candidate")

/* --- what an input must be --- */

static bool level(double x)
{
	return x > 0 && x < 0.5;
}

static bool size(double x)
{
	return x >= 0 && isfinite(x);
}

/* The parser of a policy file refuses such values, but a record that is replayed may hold anything, and NaN must not pass a gate. */
static const char *policy_fault(const struct ts_gate_policy *p)
{
	if (!level(p->alpha) || !level(p->suspect_alpha))
		return "alpha and suspect_alpha must lie between 0 and 0.5";
	if (!size(p->delta))
		return "delta must be a finite number from 0 up";
	if (p->n_logged > TS_LOGGED_MOST)
		return "it names too many series";
	for (size_t i = 0; i < ts_gate_policy_metrics(p); i++)
		if (!size(p->min_size[i]))
			return "min_size must be a finite number from 0 up";
	if (p->pairs < 1 || p->pairs > p->pairs_most || p->pairs_most > TS_GATE_RUNS_MAX)
		return "pairs must be at least 1 and at most pairs_most";
	if (!isnan(p->prior_sd) && (!size(p->prior_sd) || !size(p->prior_df)))
		return "prior_sd and prior_df must be finite numbers from 0 up";
	for (size_t i = 0; i < ts_gate_policy_metrics(p); i++)
		if (!isnan(p->least[i]) && !(p->least[i] > 0 && isfinite(p->least[i])))
			return "least must be a finite number above 0";
	if (!isnan(p->must_catch) && !size(p->must_catch))
		return "must_catch must be a finite number from 0 up";
	if (!size(p->prior_df_most))
		return "prior_df_most must be a finite number from 0 up";
	return NULL;
}

static enum ts_status check(const struct ts_gate_input *input, struct ts_error *err)
{
	const char *fault = policy_fault(&input->policy);

	if (fault)
		return ts_error_set(err, TS_INVALID, "the gate's policy is not valid: %s", fault);
	if (input->n_runs > TS_GATE_RUNS_MAX)
		return ts_error_set(err, TS_TOO_LARGE, "a gate takes at most %d runs, and these are %zu", TS_GATE_RUNS_MAX,
				    input->n_runs);
	for (size_t i = 0; i < input->n_runs; i++)
		if (input->runs[i].role < TS_GATE_CANDIDATE || input->runs[i].role > TS_GATE_PAIR_CANDIDATE)
			return ts_error_set(err, TS_INVALID, "run %zu of the gate's record has no known role", i);
	return TS_OK;
}

/* --- from a sample to a row --- */

struct bench {
	struct ts_gate_rule rule;
	struct ts_gate_pairs_plan plan;
	struct ts_gate_look first;
	double unseen;		      /* where baselines are of two kinds, or several odd ones are better, a worsening of this size
					 looks like the other kind */
	bool looked;		      /* first is set: there are baselines and candidates */
	struct ts_gate_spread within; /* the spread that pairs are compared with */
	double pair_p;		      /* the p-value of the pairs, over both looks */
};

/* Converts a relative worsening to the scale on which values are compared. */
static double on_scale(enum ts_metric metric, double ratio)
{
	return ts_metrics[metric].log_scale ? log1p(ratio) : ratio;
}

/* Converts back to the metric's own direction: 0.05 means that the metric is 5 % greater. */
static double relative(enum ts_metric metric, const struct ts_gate_sample *s, double difference)
{
	return ts_metrics[metric].log_scale ? expm1(s->sign * difference) : s->sign * difference;
}

static double in_unit(enum ts_metric metric, const struct ts_gate_sample *s, double x)
{
	return ts_metrics[metric].log_scale ? exp(s->sign * x) : s->sign * x * s->magnitude;
}

/* How small a change counts as none. Nobody knows what is small in a logged series: only what the policy says of it. */
static double tolerance(const struct ts_gate_policy *policy, enum ts_metric metric)
{
	return ts_metric_is_logged(metric) ? fmin(policy->delta, policy->min_size[metric]) : policy->delta;
}

static struct ts_gate_rule rule_of(const struct ts_gate_policy *policy, enum ts_metric metric, const struct ts_gate_sample *s,
				   double base)
{
	const struct ts_metric_row *row = &ts_metrics[metric];
	struct ts_gate_rule rule = {on_scale(metric, tolerance(policy, metric)), on_scale(metric, policy->min_size[metric]),
				    row->floor_sd};
	double least = row->log_scale ? log1p(row->min_absolute / base) : row->min_absolute / s->magnitude;

	/* Where there are only pairs, base is NaN and so is least: the absolute minimum then does not apply. */
	if (least > rule.min_size)
		rule.min_size = least;
	return rule;
}

static double least_level(const struct ts_gate_court *c, const struct ts_gate_row *row, double alpha)
{
	size_t n = 0;

	for (size_t i = 0; i < c->v.n_rows; i++)
		n += c->v.rows[i].gates;
	return row->gates && n ? alpha / (double)n : alpha;
}

/* The level of the first look at one metric, at its strictest. */
static double first_alpha(const struct ts_gate_court *c, const struct ts_gate_row *row)
{
	const struct ts_gate_policy *policy = &c->input->policy;

	return least_level(c, row, policy->rerun ? policy->suspect_alpha : policy->alpha);
}

/* The level of one look at the pairs of a metric, at its strictest. */
static double pair_alpha(const struct ts_gate_court *c, const struct ts_gate_row *row)
{
	const struct ts_gate_policy *policy = &c->input->policy;

	return least_level(c, row, policy->alpha) / (policy->pairs < policy->pairs_most ? 2 : 1) /
	       (row->better == TS_BETTER_UNKNOWN ? 2 : 1);
}

/* What pairs of this metric have to be able to find, on its scale; 0: any. */
static double must_see(const struct ts_gate_court *c, enum ts_metric metric)
{
	double must_catch = c->input->policy.must_catch;

	if (!c->v.rows[metric].gates || isnan(must_catch) || !c->samples[metric].relative)
		return 0;
	return ts_metrics[metric].less_is_better || !ts_metrics[metric].log_scale ? on_scale(metric, must_catch)
	       : must_catch < 1							  ? -log1p(-must_catch)
										  : 0;
}

static void bars(struct ts_gate_court *c, enum ts_metric metric, struct bench *b)
{
	const struct ts_gate_policy *policy = &c->input->policy;
	const struct ts_gate_sample *s = &c->samples[metric];
	struct ts_gate_look look;

	b->pair_p = (double)NAN;
	b->plan = (struct ts_gate_pairs_plan){(size_t)policy->pairs, (size_t)policy->pairs_most, policy->alpha,
					      pair_alpha(c, &c->v.rows[metric]), must_see(c, metric),
					      b->looked ? &b->first : NULL};
	b->within = ts_gate_within(s->within, b->looked ? &b->first : NULL);
	if (s->n_pairs < b->plan.first)
		return;
	ts_gate_pairs_look(s->pairs, b->plan.first, b->within, &b->rule, s->scratch, &look);
	b->pair_p = look.p;
	if (b->plan.first == b->plan.most)
		return;
	b->pair_p = 2 * look.p;
	if (s->n_pairs < b->plan.most)
		return;
	ts_gate_pairs_look(s->pairs, b->plan.most, b->within, &b->rule, s->scratch, &look);
	b->pair_p = fmin(b->pair_p, 2 * look.p);
}

/* Asks whether there are enough baselines for a verdict. */
static bool enough(const struct ts_gate_sample *s)
{
	return s->n_base >= TS_GATE_LEAST || (s->n_base && s->prior.df >= TS_GATE_KNOWN_DF);
}

/* Returns the spread between runs with which the first look starts: that of the history, and an assumed one while
 * there is too little history. */
static struct ts_gate_spread known_before(enum ts_metric metric, const struct ts_gate_sample *s)
{
	const struct ts_gate_spread assumed = {TS_GATE_ASSUMED_SD, TS_GATE_ASSUMED_DF};

	return enough(s) || !ts_metrics[metric].log_scale ? s->prior : ts_gate_both(s->prior, assumed);
}

/* Compares the candidate with both kinds of baselines. It stands out if it is worse than the better kind, and neither like the worse
 * kind. Otherwise the nearer kind is told. */
static void look_at_kinds(struct ts_gate_sample *s, struct ts_gate_spread known, double alpha, struct bench *b,
			  struct ts_gate_row *row)
{
	size_t n[] = {s->n_low, s->n_base - s->n_low};
	const double *x[] = {s->base, s->base + s->n_low};
	struct ts_gate_look looks[2];
	bool between, kind;

	for (size_t k = 0; k < 2; k++)
		ts_gate_first_look(x[k], n[k], s->candidate, s->n_candidate, ts_gate_both(known, ts_gate_pooled(x[!k], &n[!k], 1)),
				   &s->allowance, &b->rule, &looks[k]);
	between = ts_gate_worse(&looks[0], &b->rule, alpha) &&
		  ts_student_cdf(looks[1].difference / looks[1].error, looks[1].df) < TS_GATE_CLEAN_ALPHA;
	kind = !between && fabs(looks[1].difference) < fabs(looks[0].difference);
	b->first = looks[kind];
	b->unseen = s->kinds.apart;
	s->nearer = kind;
	row->base_draws = n[kind];
	row->base = in_unit(row->metric, s, ts_mean(x[kind], n[kind]));
}

/* Computes the interval of the candidate's level. */
static void tell_level(const struct ts_gate_sample *s, const struct bench *b, struct ts_gate_row *row)
{
	struct ts_gate_look look = {.df = b->first.df, .error = b->first.sd};
	double at = ts_mean(s->candidate, s->n_candidate), half, one, other;

	if (!b->looked) {
		struct ts_gate_spread s_ = ts_gate_both(known_before(row->metric, s), ts_gate_pooled(s->candidate, &s->n_candidate, 1));

		look = (struct ts_gate_look){.df = s_.df, .error = fmax(s_.sd, ts_metrics[row->metric].floor_sd)};
	}
	look.error = sqrt(look.error * look.error / (double)s->n_candidate + s->allowance.variance);
	half = ts_gate_interval(&look, 0.99);
	one = in_unit(row->metric, s, at - half);
	other = in_unit(row->metric, s, at + half);
	row->value_low = fmin(one, other);
	row->value_high = fmax(one, other);
}

/* Fills in the numbers of a row that do not depend on other metrics. */
static void weigh(struct ts_gate_court *c, enum ts_metric metric, struct bench *b)
{
	struct ts_gate_sample *s = &c->samples[metric];
	struct ts_gate_row *row = &c->v.rows[metric];
	double base = s->n_base ? ts_mean(s->base, s->n_base) : (double)NAN;

	row->base_draws = s->n_base;
	row->candidate_draws = s->n_candidate;
	row->pairs = s->n_pairs;
	row->prior_sd = s->prior.df > 0 ? s->prior.sd : (double)NAN;
	row->prior_df = s->prior.df;
	row->base = in_unit(metric, s, base);
	row->candidate = s->n_candidate ? in_unit(metric, s, ts_mean(s->candidate, s->n_candidate)) : (double)NAN;
	b->rule = rule_of(&c->input->policy, metric, s, row->base);
	b->looked = s->n_base && s->n_candidate;
	if (b->looked) {
		ts_gate_first_look(s->base, s->n_base, s->candidate, s->n_candidate, known_before(metric, s), &s->allowance, &b->rule,
				   &b->first);
		b->unseen = s->faster;
		if (s->n_low)
			look_at_kinds(s, known_before(metric, s), first_alpha(c, row), b, row);
		row->sd = b->first.sd;
		row->df = b->first.df;
		row->t = b->first.t;
		row->p = b->first.p;
	}
	if (s->n_candidate)
		tell_level(s, b, row);
	bars(c, metric, b);
}

/* --- the significance levels of the metrics --- */

enum question { SUSPECT, WORSE, BETTER, PAIRED, QUESTIONS };

/* Returns the level of one metric by Holm's procedure over the metrics that decide; a metric that does not decide
 * has the whole level. */
static double level_of(const struct ts_gate_court *c, const struct bench *benches, enum ts_metric metric, enum question question,
		       double alpha)
{
	double p[TS_METRICS_ALL];
	size_t n = 0, at = 0;

	if (!c->v.rows[metric].gates)
		return alpha;
	for (size_t i = 0; i < c->v.n_rows; i++) {
		const struct bench *b = &benches[i];

		if (!c->v.rows[i].gates)
			continue;
		if (i == (size_t)metric)
			at = n;
		p[n++] = question == PAIRED ? b->pair_p
			 : !b->looked	    ? (double)NAN
			 : question == BETTER ? b->first.p_better
					      : b->first.p;
	}
	return ts_gate_holm(p, n, at, alpha);
}

/* --- a row's state --- */

/* Returns the relative size of a worsening: 0.05 is a time that is 5 % longer, or a rate that is 5 % lower. */
static double worsening(enum ts_metric metric, const struct ts_gate_sample *s, double difference)
{
	return fabs(relative(metric, s, difference));
}

static void tell_look(struct ts_gate_row *row, const struct ts_gate_sample *s, const struct ts_gate_look *look)
{
	double half = ts_gate_interval(look, 0.99), a = relative(row->metric, s, look->difference - half);
	double b = relative(row->metric, s, look->difference + half);

	if (!s->relative)
		return;
	row->size = relative(row->metric, s, look->difference);
	row->low = fmin(a, b);
	row->high = fmax(a, b);
}

static void tell_missed(struct ts_gate_court *c, struct ts_gate_row *row, double from)
{
	if (c->samples[row->metric].relative)
		row->could_miss = worsening(row->metric, &c->samples[row->metric], from);
}

/* Where pairs decide, the levels are those of the pairs as well, so that they and the change are of one comparison. A floor holds for
 * the candidate of the first look. */
static void tell_pairs(struct ts_gate_row *row, const struct ts_gate_sample *s, const struct ts_gate_look *look)
{
	double half = ts_gate_interval(look, 0.99), base = 0, one, other;

	if (!isnan(row->least) || isnan(look->difference))
		return;
	for (size_t i = 0, n = 0; i < s->n_pairs && n < look->pairs; i++)
		if (!s->pairs[i].odd) {
			base += (s->pairs[i].middle - s->pairs[i].d / 2) / (double)look->pairs;
			n++;
		}
	one = in_unit(row->metric, s, base + look->difference - half);
	other = in_unit(row->metric, s, base + look->difference + half);
	row->base = in_unit(row->metric, s, base);
	row->candidate = in_unit(row->metric, s, base + look->difference);
	row->value_low = fmin(one, other);
	row->value_high = fmax(one, other);
}

/* --- a series of which nobody knows which way it is better --- */

/* The way in which the candidate differs is tested, at half of each level. */
static bool moved(const struct ts_gate_look *look, const struct ts_gate_rule *rule, double level)
{
	return ts_gate_worse(look, rule, fmin(level, TS_GATE_CLEAN_ALPHA) / 2);
}

/* That it moved is all that can be said. */
static enum ts_gate_state tell_moved(struct ts_gate_court *c, struct ts_gate_row *row)
{
	row->reason = ts_gate_moved_text(c, row);
	return TS_GATE_INCONCLUSIVE;
}

static enum ts_gate_state by_pairs(struct ts_gate_court *c, struct ts_gate_row *row, struct bench *b, double level)
{
	struct ts_gate_sample *s = &c->samples[row->metric];
	struct ts_gate_pairs_plan plan = b->plan;
	struct ts_gate_look look;
	enum ts_gate_pairs_answer answer;

	plan.alpha = row->better == TS_BETTER_UNKNOWN ? level / 2 : level;
	answer = ts_gate_pairs_judge(s->pairs, s->n_pairs, &plan, b->within, &b->rule, s->scratch, &look);
	row->paired = true;
	/* A drift that is no more than its own noise is not worth a word. */
	if (fabs(look.drift) > ts_student_quantile(DRIFT_SURE, look.df) * look.drift_error)
		s->drift = look.drift;
	row->pair_t = look.t;
	row->pair_p = look.p;
	tell_look(row, s, &look);
	tell_pairs(row, s, &look);
	tell_missed(c, row,
		    look.ends ? ts_gate_pairs_found_from(&look, &plan, b->within, &b->rule)
			      : ts_gate_found_from(&look, &b->rule, plan.see_alpha));
	if (isnan(look.p)) {
		row->reason =
			ts_span_str("the differences between the runs of its pairs are too large to compare, or there is only one pair "
				    "and no history of earlier runs");
		return TS_GATE_INCONCLUSIVE;
	}
	/* Pairs that are blind so far and do not look worse are no suspicion: more of them are asked for all the same. */
	s->taken_first = look.first;
	s->first = answer == TS_GATE_PAIRS_OPEN ? look.first : 0;
	if (s->first)
		row->reason = ts_gate_one_order(c, row->metric);
	if (row->better == TS_BETTER_UNKNOWN && (answer == TS_GATE_PAIRS_CONFIRM || answer == TS_GATE_PAIRS_BETTER)) {
		row->pairs = look.pairs;
		return tell_moved(c, row);
	}
	if (answer == TS_GATE_PAIRS_OPEN)
		return look.difference > b->rule.delta ? TS_GATE_SUSPECT : row->gates ? TS_GATE_BLIND : TS_GATE_PASS;
	row->pairs = look.pairs;
	if (answer == TS_GATE_PAIRS_CONFIRM)
		return TS_GATE_REGRESSION;
	return answer == TS_GATE_PAIRS_BETTER ? TS_GATE_IMPROVEMENT : TS_GATE_PASS;
}

static struct ts_span collecting(struct ts_gate_court *c, const struct ts_gate_row *row, const struct ts_gate_sample *s)
{
	uint64_t runs = ts_gate_runs_compared(s);
	struct ts_span missed = ts_span_str(""), of = ts_span_str("");

	if (runs > s->n_base)
		of = ts_gate_text(c, " of %s (runs of one session count as one)", ts_say_plural((double)s->n_base, "session").text);
	if (!isnan(row->could_miss))
		missed = ts_gate_text(c, "; until then only a regression above %s would be suspect",
				      ts_say_percent(row->could_miss).text);
	return ts_gate_text(c, "the gate has %s%.*s so far; a verdict needs at least %d, and %" PRIu64 " are recommended%.*s",
			    ts_say_plural((double)runs, "baseline").text, TS_SPAN_ARG(of), TS_GATE_LEAST, c->input->policy.collect,
			    TS_SPAN_ARG(missed));
}

static enum ts_gate_state by_first_look(struct ts_gate_court *c, struct ts_gate_row *row, const struct bench *benches)
{
	const struct ts_gate_policy *policy = &c->input->policy;
	struct ts_gate_sample *s = &c->samples[row->metric];
	const struct bench *b = &benches[row->metric];
	double alpha = policy->rerun ? policy->suspect_alpha : policy->alpha;
	double worse = level_of(c, benches, row->metric, policy->rerun ? SUSPECT : WORSE, alpha);
	double better = level_of(c, benches, row->metric, BETTER, policy->alpha);
	bool both = row->better == TS_BETTER_UNKNOWN;

	if (b->looked) {
		double level = first_alpha(c, row);

		tell_look(row, s, &b->first);
		level = both ? fmin(level, TS_GATE_CLEAN_ALPHA) / 2 : level;
		tell_missed(c, row, ts_gate_found_from(&b->first, &b->rule, level) + b->unseen);
	}
	if (both && b->looked && moved(&b->first, &b->rule, worse))
		return policy->rerun ? TS_GATE_SUSPECT : tell_moved(c, row);
	if (!enough(s) && (both || !(b->looked && ts_gate_worse(&b->first, &b->rule, worse)))) {
		row->reason = collecting(c, row, s);
		return TS_GATE_COLLECTING;
	}
	if (isnan(b->first.p)) {
		row->reason = ts_span_str("the values of the runs are too far apart to compare");
		return TS_GATE_INCONCLUSIVE;
	}
	if (both)
		return TS_GATE_PASS;
	if (ts_gate_worse(&b->first, &b->rule, worse))
		return policy->rerun ? TS_GATE_SUSPECT : TS_GATE_REGRESSION;
	if (!ts_gate_better(&b->first, &b->rule, better))
		return TS_GATE_PASS;
	s->ahead = policy->rerun;
	return policy->rerun ? TS_GATE_PASS : TS_GATE_IMPROVEMENT;
}

/* Asks whether the row could have missed more than it must catch. An unknown size counts as yes, except where the
 * baseline is 0 and a relative size has no meaning. */
static bool blind(const struct ts_gate_court *c, const struct ts_gate_row *row)
{
	double must_catch = c->input->policy.must_catch;

	return !isnan(must_catch) && c->samples[row->metric].relative && !(row->could_miss <= must_catch);
}

/* A metric that is only watched counts where it is much worse, and by more than chance explains. */
static bool alarms(const struct ts_gate_court *c, const struct ts_gate_row *row, const struct bench *b)
{
	double by = row->better == TS_BETTER_HIGHER ? -row->size : row->size;

	if (!c->input->policy.watch[row->metric] || !(by >= ts_metrics[row->metric].watch))
		return false;
	if (row->state != TS_GATE_SUSPECT && row->state != TS_GATE_REGRESSION)
		return false;
	return row->paired || b->first.p_clean < TS_GATE_WATCH_ALPHA;
}

/* A loss that became NaN or infinite needs no test, unless a baseline also ends like that. Returns false if the loss
 * is finite. */
static bool not_finite(struct ts_gate_court *c, struct ts_gate_row *row)
{
	const struct ts_gate_input *input = c->input;
	size_t baselines = 0, bad = 0, worst = 0;

	for (size_t i = 0; i < input->n_runs; i++) {
		const struct ts_reduced *r = ts_gate_reduced(&input->policy, &input->runs[i].reduction, row->metric);
		bool odd = r->known && !isfinite(r->value);

		baselines += input->runs[i].role == TS_GATE_BASELINE;
		bad += odd && input->runs[i].role == TS_GATE_BASELINE;
		worst += odd && (input->runs[i].role == TS_GATE_CANDIDATE || input->runs[i].role == TS_GATE_PAIR_CANDIDATE);
	}
	if (!worst)
		return false;
	row->state = bad ? TS_GATE_INCONCLUSIVE : TS_GATE_REGRESSION;
	row->counts = row->counts || (!bad && input->policy.watch[row->metric]);
	row->reason = bad ? ts_gate_text(c, "its value is NaN or infinite, as in %zu of %s", bad,
					 ts_say_plural((double)baselines, "baseline").text)
			  : ts_gate_text(c, "its value is NaN or infinite, and that of none of %s is",
					 ts_say_plural((double)baselines, "baseline").text);
	return true;
}

/* The order of states, the gravest first. */
static const enum ts_gate_state gravest[] = {TS_GATE_REGRESSION, TS_GATE_SUSPECT,     TS_GATE_INCONCLUSIVE, TS_GATE_BLIND,
					     TS_GATE_COLLECTING, TS_GATE_IMPROVEMENT, TS_GATE_PASS};

static size_t gravity(enum ts_gate_state state)
{
	size_t k = 0;

	while (gravest[k] != state)
		k++;
	return k;
}

static enum ts_gate_state floor_state(const struct ts_gate_court *c, const struct ts_gate_row *row)
{
	if (row->value_high < row->least)
		return TS_GATE_REGRESSION;
	if (row->value_low > row->least)
		return TS_GATE_PASS;
	return enough(&c->samples[row->metric]) ? TS_GATE_BLIND : TS_GATE_COLLECTING;
}

/* A metric with a floor counts. Where it decides as well, the graver of both states is that of the row. */
static void hold_floor(struct ts_gate_court *c, struct ts_gate_row *row)
{
	const struct ts_gate_sample *s = &c->samples[row->metric];
	enum ts_gate_state state = TS_GATE_INCONCLUSIVE;

	if (isnan(row->least))
		return;
	row->counts = true;
	if (!c->input->not_comparable.len && isfinite(row->value_low) && isfinite(row->value_high))
		state = floor_state(c, row);
	/* A floor needs no pairs, so it is named where both fail. */
	if (row->gates && (gravity(row->state) < gravity(state) || (row->state == state && state != TS_GATE_REGRESSION)))
		return;
	row->state = state;
	row->floored = true;
	if (state == TS_GATE_INCONCLUSIVE)
		row->reason = c->input->not_comparable.len ? c->input->not_comparable
			    : s->reason.len		     ? s->reason
							     : ts_span_str("the spread between runs is not known");
	else
		row->reason = ts_gate_floor_text(c, row);
}

static void decide(struct ts_gate_court *c, struct ts_gate_row *row, struct bench *benches)
{
	const struct ts_gate_sample *s = &c->samples[row->metric];
	struct bench *b = &benches[row->metric];

	if (c->input->not_comparable.len)
		row->reason = c->input->not_comparable;
	else
		row->reason = s->reason;
	if (!c->input->not_comparable.len && not_finite(c, row))
		return;
	if (row->reason.len)
		row->state = TS_GATE_INCONCLUSIVE;
	else if (s->n_pairs >= b->plan.first)
		row->state = by_pairs(c, row, b, level_of(c, benches, row->metric, PAIRED, c->input->policy.alpha));
	else
		row->state = by_first_look(c, row, benches);
	if (row->gates && row->state == TS_GATE_PASS && blind(c, row))
		row->state = TS_GATE_BLIND;
	row->counts = row->counts || alarms(c, row, b);
	hold_floor(c, row);
}

/* Where step time is blind although there are all the pairs that a policy asks for, its floor, which other work on the machine disturbs
 * less, counts if the pairs confirm that it has regressed. That it has not shows nothing: not all of a step is in its floor. */
static void count_floor(struct ts_gate_court *c)
{
	const struct ts_gate_row *row = &c->v.rows[TS_METRIC_STEP_TIME];
	const struct ts_gate_sample *s = &c->samples[TS_METRIC_STEP_TIME];
	struct ts_gate_row *floor = &c->v.rows[TS_METRIC_STEP_TIME_FLOOR];

	if (!row->gates || row->state != TS_GATE_BLIND || floor->gates || s->first || s->n_pairs < c->input->policy.pairs_most)
		return;
	floor->counts = floor->counts || (floor->paired && floor->state == TS_GATE_REGRESSION);
}

/* --- rows to a verdict --- */

static enum ts_gate_state whole(const struct ts_verdict *v)
{
	for (size_t k = 0; k < sizeof gravest / sizeof gravest[0]; k++)
		for (size_t i = 0; i < v->n_rows; i++)
			if (v->rows[i].counts && v->rows[i].state == gravest[k])
				return gravest[k];
	return TS_GATE_INCONCLUSIVE; /* no metric decides */
}

static uint32_t ending(enum ts_gate_ending on)
{
	return on == TS_GATE_FAILS ? 1 : on == TS_GATE_GREEN ? 0 : 3;
}

static uint32_t exit_code(enum ts_gate_state state, const struct ts_gate_policy *policy)
{
	switch (state) {
	case TS_GATE_REGRESSION:
		return 1;
	case TS_GATE_SUSPECT:
		return 4;
	case TS_GATE_INCONCLUSIVE:
		return ending(policy->on_inconclusive);
	case TS_GATE_BLIND:
		return ending(policy->on_blind);
	case TS_GATE_PASS:
	case TS_GATE_IMPROVEMENT:
	case TS_GATE_COLLECTING:
		break;
	}
	return 0;
}

static const struct ts_gate_run *first_of(const struct ts_gate_input *input, enum ts_gate_role role)
{
	for (size_t i = 0; i < input->n_runs; i++)
		if (input->runs[i].role == role)
			return &input->runs[i];
	return NULL;
}

/* Asks for as many more pairs as the suspect or blind metric with the fewest pairs still needs. A policy that accepts blind verdicts
 * trains nothing for them. */
static void ask(struct ts_gate_court *c)
{
	const struct ts_gate_run *base = first_of(c->input, TS_GATE_BASELINE), *candidate = first_of(c->input, TS_GATE_CANDIDATE);
	const struct ts_gate_policy *policy = &c->input->policy;
	uint64_t most = 0;

	for (size_t i = 0; i < c->v.n_rows; i++) {
		const struct ts_gate_row *row = &c->v.rows[i];
		/* Pairs that are odd have run as well. */
		uint64_t have = c->samples[i].n_pairs, want = have < policy->pairs ? policy->pairs : policy->pairs_most;

		/* More runs of the base say nothing of a floor. */
		if (row->floored)
			continue;
		if (row->state != TS_GATE_SUSPECT && (row->state != TS_GATE_BLIND || policy->on_blind == TS_GATE_GREEN))
			continue;
		/* Pairs of one order are completed however many there are. */
		if (c->samples[i].first && have >= want)
			want = have + policy->pairs;
		if (row->counts && want > have && want - have > most)
			most = want - have;
	}
	if (!base)
		base = first_of(c->input, TS_GATE_PAIR_BASE);
	if (!candidate)
		candidate = first_of(c->input, TS_GATE_PAIR_CANDIDATE);
	/* What has failed needs no pairs, and what cannot be compared gains nothing by them. */
	if (c->v.state != TS_GATE_SUSPECT && c->v.state != TS_GATE_BLIND)
		most = 0;
	c->v.ask.pairs = most;
	if (!most || !base || !candidate)
		return;
	c->v.ask.base = base->id;
	c->v.ask.base_commit = base->workload.commit;
	c->v.ask.candidate = candidate->id;
	c->v.ask.candidate_commit = candidate->workload.commit;
}

static void empty_row(struct ts_gate_row *row, enum ts_metric metric, const struct ts_gate_policy *policy)
{
	double nan = (double)NAN;

	*row = (struct ts_gate_row){.metric = metric,
				    .name = ts_span_str(ts_gate_metric_name(policy, metric)),
				    .better = ts_gate_metric_better(policy, metric),
				    .gates = policy->gates[metric]};
	/* MFU is computed from step time, so testing both would be one test counted twice. */
	if (metric == TS_METRIC_MFU && policy->gates[TS_METRIC_STEP_TIME])
		row->gates = false;
	row->counts = row->gates;
	row->base = row->candidate = row->size = row->low = row->high = row->value_low = row->value_high = nan;
	row->least = policy->least[metric];
	row->sd = row->df = row->prior_sd = row->t = row->p = nan;
	row->could_miss = row->pair_t = row->pair_p = nan;
}

static bool decided_by_pairs(const struct ts_verdict *v)
{
	bool any = false;

	for (size_t i = 0; i < v->n_rows; i++) {
		if (!v->rows[i].gates)
			continue;
		if (!v->rows[i].paired)
			return false;
		any = true;
	}
	return any;
}

/* What would be green is inconclusive, and fails if the policy says so of that, where baselines were lost. Pairs need none. */
static void hold_losses(struct ts_gate_court *c)
{
	if (c->input->lost.len == 0 || c->v.exit_code || decided_by_pairs(&c->v))
		return;
	c->without = ts_gate_state_word(c->v.state);
	c->v.state = TS_GATE_INCONCLUSIVE;
	c->v.exit_code = c->input->policy.on_inconclusive == TS_GATE_FAILS ? 1 : 3;
}

enum ts_status ts_gate_judge(const struct ts_gate_input *input, struct ts_arena *arena, struct ts_verdict *ret_verdict,
			     struct ts_error *err)
{
	struct bench benches[TS_METRICS_ALL] = {0};
	struct ts_gate_court c = {.input = input, .arena = arena, .v = {.input = *input}};
	enum ts_status status = check(input, err);

	if (!status)
		status = ts_gate_policy_digest(&input->policy, &c.v.policy_digest, err);
	if (status)
		return status;
	if (!ts_gate_pairs_find(&c) || !ts_gate_places_find(&c))
		return ts_arena_error(arena, err);
	c.v.n_rows = ts_gate_policy_metrics(&input->policy);
	c.v.rows = ts_arena_array(arena, c.v.n_rows, sizeof *c.v.rows);
	if (!c.v.rows)
		return ts_arena_error(arena, err);
	ts_gate_work_find(&c);
	for (size_t i = 0; i < c.v.n_rows; i++)
		empty_row(&c.v.rows[i], (enum ts_metric)i, &input->policy);
	ts_gate_work_gates(&c);
	for (size_t i = 0; i < c.v.n_rows; i++) {
		if (!ts_gate_sample_of(&c, (enum ts_metric)i, &c.samples[i]))
			return ts_arena_error(arena, err);
		weigh(&c, (enum ts_metric)i, &benches[i]);
	}
	for (size_t i = 0; i < c.v.n_rows; i++)
		decide(&c, &c.v.rows[i], benches);
	count_floor(&c);
	c.v.state = whole(&c.v);
	c.v.exit_code = exit_code(c.v.state, &input->policy);
	hold_losses(&c);
	ask(&c);
	ts_gate_why_fill(&c);
	ts_gate_say_fill(&c);
	if (c.full)
		return ts_arena_error(arena, err);
	*ret_verdict = c.v;
	return TS_OK;
}
