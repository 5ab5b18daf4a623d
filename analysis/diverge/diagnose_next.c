/* diagnose_next.c - what follows from a named cause: whether the runs are equivalent in three tiers, the figures
 * behind that, and what to run or record next. */
#include "analysis/diverge/inquiry.h"

#include "analysis/answer/say.h"
#include "base/door.h"
#include "base/text.h"
#include "run/role.h"

enum { BEHIND = 20, SHORT = 20 }; /* steps to run after the one in question; steps from the first on */

static struct ts_span name_a(const struct ts_inquiry *q)
{
	return q->e->name_a.len ? q->e->name_a : ts_span_str("A");
}

static struct ts_span name_b(const struct ts_inquiry *q)
{
	return q->e->name_b.len ? q->e->name_b : ts_span_str("B");
}

/* --- tiers --- */

static struct ts_tier tier(enum ts_tier_answer answer, struct ts_span why)
{
	return (struct ts_tier){answer, why};
}

static bool anything_parts(const struct ts_inquiry *q, const struct ts_evidence_series **ret_series)
{
	const struct ts_evidence_series *found = NULL;

	for (size_t i = 0; i < q->e->n_series; i++) {
		const struct ts_evidence_series *s = &q->e->series[i];

		if (s->parts && (!found || s->first < found->first))
			found = s;
	}
	*ret_series = found;
	return found != NULL;
}

static bool beyond_rounding(const struct ts_inquiry *q)
{
	return q->e->sketches && q->e->sketches->has_first;
}

static struct ts_tier numeric_tier(struct ts_inquiry *q)
{
	const struct ts_repeats_seen *r = &q->e->repeats;
	const struct ts_first *loss = &q->first[TS_KIND_LOSS];

	if (q->d.bits.answer == TS_TIER_HOLDS)
		return tier(TS_TIER_HOLDS, ts_span_str("the runs are bit-exact"));
	if (beyond_rounding(q))
		return tier(TS_TIER_FAILS, ts_sketch_claims(q->e->sketches, q->arena));
	if (!q->has_f && q->e->sketches && ts_sketch_explained(q->e->sketches))
		return tier(TS_TIER_HOLDS, q->e->sketches->sentence);
	if (!q->has_f && q->e->sketches && ts_sketch_told(q->e->sketches))
		return tier(TS_TIER_UNKNOWN, ts_sketch_judged(q->e->sketches)
						     ? q->e->sketches->sentence
						     : ts_span_str("tensors differ, and nothing shows how far rounding goes"));
	if (!q->has_start)
		return tier(TS_TIER_UNKNOWN, ts_span_str("there is nothing to compare"));
	if (!q->has_f && q->means)
		return tier(TS_TIER_UNKNOWN,
			    ts_span_str("one run may log means of the loss, and nothing else differs"));
	if (!q->has_f)
		return tier(TS_TIER_HOLDS, ts_span_str("no loss, gradient norm or digest of the training differs by "
						       "more than the rounding of the written values"));
	if (r->inside == TS_TIER_HOLDS)
		return tier(TS_TIER_HOLDS, ts_inquiry_text(q,
							   "the second run is inside the envelope of the %s of the "
							   "first run, whose relative difference is "
							   "at most %s",
							   ts_say_plural((double)r->runs, "repeat").text,
							   ts_say_number(r->spread).text));
	if (r->inside == TS_TIER_FAILS)
		return tier(TS_TIER_FAILS, ts_inquiry_text(q,
							   "the second run is outside the envelope of the %s of the "
							   "first run, whose relative difference is "
							   "at most %s",
							   ts_say_plural((double)r->runs, "repeat").text,
							   ts_say_number(r->spread).text));
	if (q->d.cause == TS_CAUSE_REPORTING && q->d.confidence == TS_CONFIDENCE_HIGH)
		return tier(TS_TIER_HOLDS,
			    ts_span_str(q->first[TS_KIND_PARAMS].recorded
						? "the digests of the parameters agree, and only a logged value differs"
						: "only a logged value differs, and other records show that the training agrees"));
	if (r->runs)
		return tier(TS_TIER_UNKNOWN,
			    ts_inquiry_text(
				    q,
				    "the second run differs more than the %s of the first run differ from one another, "
				    "but the difference grew as it does by chance: more repeats would tell",
				    ts_say_plural((double)r->runs, "repeat").text));
	if (loss->parts && loss->series->gap.known)
		return tier(TS_TIER_UNKNOWN,
			    ts_inquiry_text(
				    q,
				    "the relative difference of the loss is up to %s; without repeats of the first run "
				    "nothing shows by how much repeats differ",
				    ts_say_number(loss->series->gap.greatest).text));
	return tier(TS_TIER_UNKNOWN,
		    ts_span_str("without repeats of the first run nothing shows by how much repeats differ"));
}

static struct ts_tier statistical_tier(struct ts_inquiry *q)
{
	if (q->d.bits.answer == TS_TIER_HOLDS)
		return tier(TS_TIER_HOLDS, ts_span_str("the runs are bit-exact"));
	if (q->e->repeats.statistical.why.len)
		return q->e->repeats.statistical;
	return tier(
		TS_TIER_UNKNOWN,
		ts_inquiry_text(q,
				"one run on each side does not show how much runs vary by chance: repeat the first run "
				"twice, then use tscope diff %.*s %.*s --repeats GLOB",
				TS_SPAN_ARG(name_a(q)), TS_SPAN_ARG(name_b(q))));
}

void ts_diagnose_tiers(struct ts_inquiry *q)
{
	const struct ts_evidence_series *s;

	TS_DOOR(ts_inquiry_holds(q));
	if (!anything_parts(q, &s) && q->e->ops && q->e->ops->n)
		q->d.bits = tier(TS_TIER_FAILS,
				 ts_inquiry_text(q, "the operation %.*s differs at step %" PRId64,
						 TS_SPAN_ARG(q->e->ops->rows[0].name), q->e->ops->rows[0].step));
	else if (anything_parts(q, &s))
		q->d.bits = tier(TS_TIER_FAILS,
				 ts_inquiry_text(q, "%.*s differs at step %" PRId64, TS_SPAN_ARG(ts_column_said(s->name)), s->first));
	else if (q->e->sketches && ts_sketch_told(q->e->sketches))
		q->d.bits = tier(TS_TIER_FAILS, ts_inquiry_text(q, "the tensor %.*s differs at step %" PRId64,
								TS_SPAN_ARG(ts_sketch_told(q->e->sketches)->name),
								ts_sketch_told(q->e->sketches)->step));
	else if (q->has_start)
		q->d.bits = tier(TS_TIER_HOLDS, ts_inquiry_text(q,
								"every loss, learning rate, gradient norm and digest "
								"that both runs have is equal over %s",
								ts_say_plural((double)q->common, "common step").text));
	else
		q->d.bits = tier(TS_TIER_UNKNOWN, ts_span_str("the two runs have no common step"));
	q->d.numeric = numeric_tier(q);
	q->d.statistical = statistical_tier(q);
}

/* --- figures --- */

static void feature(struct ts_inquiry *q, enum ts_measure_name what, struct ts_span of, bool known, double value,
		    const char *reason)
{
	bool added = !known || isnan(value) ? ts_measure_unknown(&q->d.features, q->arena, what, of, reason)
					    : ts_measure_add(&q->d.features, q->arena, what, of, value);

	q->full = q->full || !added;
}

static void features_of(struct ts_inquiry *q, struct ts_span subject, const struct ts_first *first)
{
	static const struct ts_gap nothing;
	const struct ts_gap *gap = first->parts ? &first->series->gap : &nothing;
	const char *reason = !first->recorded ? "not recorded by both runs"
					      : (!first->parts ? "it does not differ" : "its values were not compared");
	const char *few = gap->known ? "too few points after the first difference" : reason;

	feature(q, TS_M_PARTING_FIRST, subject, first->parts, (double)first->step, reason);
	feature(q, TS_M_PARTING_JUMP, subject, first->parts, first->jump, reason);
	feature(q, TS_M_PARTING_AFTER_10, subject, gap->known, gap->after_10, few);
	feature(q, TS_M_PARTING_AFTER_30, subject, gap->known, gap->after_30, few);
	feature(q, TS_M_PARTING_AFTER_100, subject, gap->known, gap->after_100, few);
	feature(q, TS_M_PARTING_SLOPE, subject, gap->known, gap->slope, few);
	feature(q, TS_M_PARTING_SATURATION, subject, gap->known, gap->saturation, few);
}

void ts_diagnose_features(struct ts_inquiry *q)
{
	TS_DOOR(ts_inquiry_holds(q));
	static const struct {
		enum ts_series_kind kind;
		const char *subject;
	} others[] = {{TS_KIND_LR, "lr"},	{TS_KIND_EVAL, "eval"},	  {TS_KIND_PARAMS, "params"},
		      {TS_KIND_GRADS, "grads"}, {TS_KIND_BATCH, "batch"}, {TS_KIND_RNG, "rng"}};
	const struct ts_first *loss = &q->first[TS_KIND_LOSS], *norm = &q->first[TS_KIND_GRAD_NORM];

	feature(q, TS_M_DIVERGENCE_COMMON, TS_NO_SUBJECT, true, q->has_start ? (double)q->common : 0, "");
	feature(q, TS_M_DIVERGENCE_FIRST, TS_NO_SUBJECT, q->has_f, (double)q->f, "nothing of the training differs");
	feature(q, TS_M_DIVERGENCE_LIMIT, TS_NO_SUBJECT, true, q->limit, "");
	feature(q, TS_M_DIVERGENCE_QUANTUM, TS_NO_SUBJECT, loss->parts && loss->series->gap.known, q->quantum,
		"no loss that differs was measured");
	feature(q, TS_M_DIVERGENCE_LAG, TS_NO_SUBJECT, loss->parts && norm->parts,
		ts_records(q, loss->step, norm->step), "needs a loss and a gradient norm that both differ");
	features_of(q, ts_span_str("loss"), loss);
	features_of(q, ts_span_str("grad_norm"), norm);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		const struct ts_first *first = &q->first[others[i].kind];

		feature(q, TS_M_PARTING_FIRST, ts_span_str(others[i].subject), first->parts, (double)first->step,
			first->recorded ? "it does not differ"
			: q->dealt && others[i].kind == TS_KIND_BATCH
				? "the batches are split over a different number of ranks"
				: "not recorded by both runs");
	}
}

/* --- experiments --- */

static bool may_be(const struct ts_inquiry *q, enum ts_cause cause)
{
	if (q->d.cause == cause)
		return true;
	for (size_t i = 0; i < q->d.n_remaining; i++)
		if (q->d.remaining[i] == cause)
			return true;
	return false;
}

/* A run of it may end some steps behind the first difference. */
static void propose(struct ts_inquiry *q, uint64_t steps, enum ts_experiment_kind kind, enum ts_experiment_recipe recipe,
		    struct ts_span what, struct ts_span command, struct ts_span splits)
{
	size_t at = q->d.n_experiments;
	bool stops = kind != TS_EXPERIMENT_OTHER && q->f <= INT64_MAX - BEHIND;

	if (at == TS_INQUIRY_EXPERIMENTS)
		return;
	/* The cheapest experiment comes first; of equals, the one that was proposed first. */
	while (at > q->put_back && q->d.experiments[at - 1].steps > steps) {
		q->d.experiments[at] = q->d.experiments[at - 1];
		at--;
	}
	q->d.experiments[at] = (struct ts_experiment){.what = what,
						      .command = command,
						      .splits = splits,
						      .steps = steps,
						      .kind = kind,
						      .recipe = recipe,
						      .has_stop = stops,
						      .stop = stops ? q->f + BEHIND : 0};
	q->d.n_experiments++;
}

/* Returns the number of steps from the first record to some after the first difference; an int64 may hold any two
 * steps, a double their distance. */
static uint64_t steps_to(const struct ts_inquiry *q, int64_t step)
{
	double n = (double)step - (double)q->start + BEHIND;

	return n < SHORT ? SHORT : (n > 1e15 ? (uint64_t)1e15 : (uint64_t)n);
}

static void record_digests(struct ts_inquiry *q)
{
	static const struct {
		enum ts_series_kind kind;
		const char *name;
	} digests[] = {{TS_KIND_PARAMS, "digests.params"},
		       {TS_KIND_BATCH, "digests.batch"},
		       {TS_KIND_RNG, "digests.rng"},
		       {TS_KIND_GRADS, "digests.grads"}};
	struct ts_span names = ts_span_str("");
	uint64_t steps = q->has_f ? steps_to(q, q->f) : SHORT;
	int64_t from = q->has_f && q->f > q->start ? q->f - 1 : q->start;

	for (size_t i = 0; i < sizeof digests / sizeof digests[0]; i++)
		if (!q->first[digests[i].kind].recorded && !(q->dealt && digests[i].kind == TS_KIND_BATCH))
			names = ts_inquiry_text(q, "%.*s%s%s", TS_SPAN_ARG(names), names.len ? ", " : "", digests[i].name);
	if (!names.len)
		return;
	propose(q, steps, TS_EXPERIMENT_RECORD, TS_RECIPE_BOTH,
		ts_inquiry_text(q, "record %.*s in both runs from step %" PRId64 " to step %" PRId64 ", push them and compare again",
				TS_SPAN_ARG(names), from, q->f + BEHIND),
		ts_inquiry_text(q, "tscope diff %.*s-digests %.*s-digests", TS_SPAN_ARG(name_a(q)), TS_SPAN_ARG(name_b(q))),
		ts_span_str("which input differs first: parameters, batch, random generators or gradients"));
}

static void repeat_first(struct ts_inquiry *q, const char *environment, const char *splits)
{
	uint64_t steps = 2 * steps_to(q, q->f);

	propose(q, steps, environment[0] ? TS_EXPERIMENT_DETERMINISTIC : TS_EXPERIMENT_REPEAT, TS_RECIPE_A,
		ts_inquiry_text(q, "repeat the first run twice for %s%s%s, and push the repeats as %.*s-r1 and %.*s-r2",
				ts_say_plural((double)steps_to(q, q->f), "step").text, environment[0] ? ", with " : "", environment,
				TS_SPAN_ARG(name_a(q)), TS_SPAN_ARG(name_a(q))),
		ts_inquiry_text(q, "tscope diff %.*s %.*s --repeats '%.*s-r*'", TS_SPAN_ARG(name_a(q)), TS_SPAN_ARG(name_b(q)),
				TS_SPAN_ARG(name_a(q))),
		ts_span_str(splits));
}

/* Advice about CUDA is for runs of which a record tells of it. */
static bool tells_of_cuda(const struct ts_inquiry *q)
{
	return (q->e->facts_a && ts_tells_of_cuda(q->e->facts_a)) || (q->e->facts_b && ts_tells_of_cuda(q->e->facts_b));
}

static void with_flags(struct ts_inquiry *q)
{
	struct ts_span remedies = ts_span_str("");
	bool cuda = tells_of_cuda(q);

	for (size_t i = 0; i < ts_flags_n; i++) {
		if (ts_flags[i].cuda && !cuda)
			continue;
		enum ts_flag_answer a = ts_flag_of(&ts_flags[i], q->e->facts_a, q->e->world_a),
				    b = ts_flag_of(&ts_flags[i], q->e->facts_b, q->e->world_b);

		if (a == TS_FLAG_OFF || b == TS_FLAG_OFF || a == TS_FLAG_UNKNOWN || b == TS_FLAG_UNKNOWN)
			remedies = ts_inquiry_text(q, "%.*s%s%s", TS_SPAN_ARG(remedies), remedies.len ? ", " : "",
						   ts_flags[i].remedy);
	}
	if (remedies.len)
		repeat_first(q, (const char *)remedies.data,
			     "whether nondeterministic kernels are the cause: with these flags they are deterministic");
	else
		repeat_first(q, "", "whether the first run is repeatable and only the second run is different");
}

static bool may_be_data(const struct ts_inquiry *q)
{
	return may_be(q, TS_CAUSE_DATA_ORDER) || may_be(q, TS_CAUSE_DATA_SET) || may_be(q, TS_CAUSE_INIT) ||
	       may_be(q, TS_CAUSE_RNG_STREAM) || may_be(q, TS_CAUSE_RESUME_DATA);
}

static void swap_hosts(struct ts_inquiry *q)
{
	uint64_t steps = steps_to(q, q->f);

	propose(q, 2 * steps, TS_EXPERIMENT_SWAP_HOSTS, TS_RECIPE_BOTH,
		ts_inquiry_text(q,
				"run each recipe again for %s on the hosts of the other run, and push them as "
				"%.*s-swap and %.*s-swap",
				ts_say_plural((double)steps, "step").text, TS_SPAN_ARG(name_a(q)), TS_SPAN_ARG(name_b(q))),
		ts_inquiry_text(q, "tscope diff %.*s %.*s-swap", TS_SPAN_ARG(name_a(q)), TS_SPAN_ARG(name_a(q))),
		ts_span_str("whether the cause is a host or a recipe: a faulty host causes the difference wherever it "
			    "is used"));
}

/* This experiment comes before all others, though it takes steps: it answers the question by itself. */
static void put_back(struct ts_inquiry *q)
{
	struct ts_span value = ts_span_str("");
	const struct ts_fact_row *row = ts_setting_to_put_back(q, &value);
	struct ts_experiment_factor *factor = row ? ts_arena_array(q->arena, 1, sizeof *factor) : NULL;

	if (!factor || q->d.confidence == TS_CONFIDENCE_NONE)
		return;
	*factor = (struct ts_experiment_factor){row->path, value};
	q->d.experiments[0] = (struct ts_experiment){
		.what = ts_inquiry_text(q, "run the second run's recipe for %s with %.*s put back to %.*s, and push it as %.*s-back",
					ts_say_plural((double)steps_to(q, q->f), "step").text, TS_SPAN_ARG(row->path),
					TS_SPAN_ARG(value), TS_SPAN_ARG(name_b(q))),
		.command = ts_inquiry_text(q, "tscope diff %.*s %.*s-back", TS_SPAN_ARG(name_a(q)), TS_SPAN_ARG(name_b(q))),
		.splits = ts_span_str("whether this setting is the cause: then the two runs agree"),
		.steps = steps_to(q, q->f),
		.kind = TS_EXPERIMENT_SET,
		.recipe = TS_RECIPE_B,
		.factors = factor,
		.n_factors = 1,
		.has_stop = q->f <= INT64_MAX - BEHIND,
		.stop = q->f <= INT64_MAX - BEHIND ? q->f + BEHIND : 0};
	q->d.n_experiments = 1;
	q->put_back = true;
}

static bool on_cpu(const struct ts_inquiry *q)
{
	return q->e->facts_a && q->e->facts_b && ts_without_cuda(q->e->facts_a) && ts_without_cuda(q->e->facts_b);
}

static const struct ts_fact *host_of(const struct ts_facts *facts)
{
	static const char *const globs[] = {"session.host*", "hardware.host*", "other.*host*"};

	for (size_t i = 0; facts && i < facts->n; i++)
		for (size_t k = 0; k < sizeof globs / sizeof globs[0]; k++)
			if (ts_glob(ts_span_str(globs[k]), facts->items[i].path))
				return &facts->items[i];
	return NULL;
}

/* Runs of one machine have no hosts to swap. */
static bool same_host(const struct ts_inquiry *q)
{
	const struct ts_fact *a = host_of(q->e->facts_a), *b = host_of(q->e->facts_b);

	return a && b && ts_fact_same(a, b);
}

void ts_diagnose_experiments(struct ts_inquiry *q)
{
	int64_t begins;

	TS_DOOR(ts_inquiry_holds(q));
	if (!q->has_f || q->d.confidence == TS_CONFIDENCE_HIGH || q->d.cause == TS_CAUSE_REPORTING)
		return;
	put_back(q);
	if (may_be(q, TS_CAUSE_CONFIG) && !q->first[TS_KIND_LR].recorded)
		propose(q, steps_to(q, q->f), TS_EXPERIMENT_RECORD, TS_RECIPE_BOTH,
			ts_span_str("log the learning rate of every step in both runs"), ts_span_of(NULL, 0),
			ts_span_str("whether a setting of the optimizer or its schedule is the cause"));
	if (may_be_data(q) || may_be(q, TS_CAUSE_CORRUPTION) || may_be(q, TS_CAUSE_GRADIENT_PATH))
		record_digests(q);
	if (may_be(q, TS_CAUSE_NONDETERMINISM) || may_be(q, TS_CAUSE_REDUCTION_ORDER) || may_be(q, TS_CAUSE_JUMP))
		with_flags(q);
	if (may_be(q, TS_CAUSE_PRECISION) && !on_cpu(q))
		propose(q, 2 * SHORT, TS_EXPERIMENT_OTHER, TS_RECIPE_BOTH,
			ts_inquiry_text(q, "run both again for %d steps with %sautocast off", SHORT,
					tells_of_cuda(q) ? "TF32 and " : ""),
			ts_span_str(tells_of_cuda(q) ? "NVIDIA_TF32_OVERRIDE=0" : ""),
			ts_span_str("whether precision or kernels are the cause: then the difference becomes smaller "
				    "or disappears"));
	if (may_be(q, TS_CAUSE_RESUME_STATE) && (q->e->resumes_a.n + q->e->resumes_b.n > 0 || ts_resume_guessed(q, &begins)))
		propose(q, 0, TS_EXPERIMENT_OTHER, TS_RECIPE_NONE, ts_span_str("compare the steps around the resume"),
			ts_inquiry_text(q, "tscope check-resume %.*s %.*s", TS_SPAN_ARG(name_a(q)), TS_SPAN_ARG(name_b(q))),
			ts_span_str("what was restored and what was not"));
	if (!same_host(q) && (may_be(q, TS_CAUSE_CORRUPTION) || may_be(q, TS_CAUSE_GRADIENT_PATH) || may_be(q, TS_CAUSE_PLATFORM)))
		swap_hosts(q);
}
