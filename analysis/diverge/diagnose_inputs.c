/* diagnose_inputs.c - explains a divergence by hard evidence: what went into a step (batch, random state,
 * parameters) differs before what came out.
 *
 * An input explains a difference only if it differs at its step or a few records before: batches that differ for hundreds of
 * steps while the loss agrees to the bit did not matter to it. Digests of parameters may be of before or after the update of
 * their step; where nobody said which, they are not taken for an initialization that differs.
 */
#include "analysis/diverge/inquiry.h"

#include "analysis/answer/say.h"
#include "base/door.h"
#include "base/text.h"
#include "run/role.h"

#define NAME(series) TS_SPAN_ARG(ts_column_said((series)->name))

/* Returns the step at which the effect shows. The losses and norms decide, if they were recorded, because a
 * different update shows in the digest of its own step. */
static bool effect_step(const struct ts_inquiry *q, int64_t *ret_step)
{
	const struct ts_first *loss = &q->first[TS_KIND_LOSS], *norm = &q->first[TS_KIND_GRAD_NORM];

	if (!loss->parts && !norm->parts)
		return false;
	*ret_step = !norm->parts || (loss->parts && loss->step <= norm->step) ? loss->step : norm->step;
	return true;
}

/* No record contradicts an input that differed for long without effect: weights may have been frozen, or masks not drawn. */
static void remain_early(struct ts_inquiry *q, enum ts_series_kind kind)
{
	if (kind == TS_KIND_LR) {
		ts_remain(q, TS_CAUSE_CONFIG);
	} else if (kind == TS_KIND_RNG) {
		ts_remain(q, TS_CAUSE_RNG_STREAM);
	} else {
		ts_remain(q, TS_CAUSE_DATA_ORDER);
		ts_remain(q, TS_CAUSE_DATA_SET);
	}
}

static bool precedes(struct ts_inquiry *q, enum ts_series_kind kind, enum ts_cut most)
{
	const struct ts_first *input = &q->first[kind];
	double distance;

	if (!input->parts)
		return false;
	distance = ts_records(q, input->step, q->f);
	if (distance >= 0 && distance <= ts_cut_of(q, most))
		return true;
	if (distance > 0)
		ts_say_against(q,
			       "%.*s differs from step %" PRId64
			       " on, but nothing else changed for %s: it alone does not say why the runs differ from "
			       "step %" PRId64 " on",
			       NAME(input->series), input->step, ts_say_plural(distance, "record").text, q->f);
	else if (ts_agrees_at(q, kind, q->f))
		ts_say_against(q,
			       "%.*s differs only from step %" PRId64
			       " on, when the training already differed: it is not the cause",
			       NAME(input->series), input->step);
	else
		ts_say_against(q,
			       "%.*s is not recorded at step %" PRId64 ", where the training first differs; it differs at its next "
			       "record, at step %" PRId64,
			       NAME(input->series), q->f, input->step);
	if (distance > 0 || !ts_agrees_at(q, kind, q->f))
		remain_early(q, kind);
	return false;
}

/* --- learning rate --- */

/* Returns how many settings that act through the rate differ. */
static size_t name_settings(struct ts_inquiry *q, struct ts_span *ret_first)
{
	size_t n = 0;

	for (size_t i = 0; i < q->e->n_facts; i++) {
		const struct ts_effect *effect = ts_effect_of(q->e->facts[i].path);

		if (!effect || !effect->by_schedule || !ts_fact_differs(q, &q->e->facts[i]))
			continue;
		ts_say_for(q, "%.*s differs, which %s", TS_SPAN_ARG(q->e->facts[i].path), effect->says);
		if (n++ == 0)
			*ret_first = q->e->facts[i].path;
	}
	return n;
}

/* A schedule that no setting explains is that of the code where the code is known to differ. */
static enum ts_cause schedule_cause(const struct ts_inquiry *q)
{
	return ts_fact_names(q, TS_CAUSE_CODE) ? TS_CAUSE_CODE : TS_CAUSE_CONFIG;
}

/* A rate that differs while no setting of it does is an effect: of a schedule that was not restored, of code or of a library. */
static void conclude_schedule(struct ts_inquiry *q, int64_t step, struct ts_span values)
{
	ts_say_against(q, "no recorded setting of the learning rate differs");
	ts_conclude(
		q, schedule_cause(q), TS_CONFIDENCE_MEDIUM,
		"The learning rate differs from step %" PRId64
		" on (%.*s), although no recorded setting of it does: the schedule took another course, as one that was not restored, "
		"or code that counts its steps in a different way",
		step, TS_SPAN_ARG(values));
	ts_remain_facts(q);
	ts_remain(q, TS_CAUSE_CONFIG);
	ts_remain(q, TS_CAUSE_RESUME_STATE);
	ts_remain(q, TS_CAUSE_CODE);
}

/* Where no configuration was recorded, a setting is the usual reason, and nothing shows it. */
static void conclude_rate(struct ts_inquiry *q, int64_t step, struct ts_span values)
{
	struct ts_span setting = ts_span_str("");
	size_t n = name_settings(q, &setting);

	if (n == 0 && ts_config_known(q)) {
		conclude_schedule(q, step, values);
		return;
	}
	if (n == 0) {
		ts_say_against(q, "not both runs recorded their configuration, so no setting shows why the rate differs");
		ts_conclude(q, TS_CAUSE_CONFIG, TS_CONFIDENCE_MEDIUM, "The learning rate differs from step %" PRId64 " on: it is %.*s",
			    step, TS_SPAN_ARG(values));
		ts_remain(q, TS_CAUSE_RESUME_STATE);
		ts_remain(q, TS_CAUSE_CODE);
		return;
	}
	ts_conclude(q, TS_CAUSE_CONFIG, ts_other_fact_known(q, TS_CAUSE_CONFIG) ? TS_CONFIDENCE_MEDIUM : TS_CONFIDENCE_HIGH,
		    "The learning rate differs from step %" PRId64 " on: it is %.*s, and %.*s differs%s", step, TS_SPAN_ARG(values),
		    TS_SPAN_ARG(setting), n > 1 ? ", as other settings of it do" : "");
}

/* Whatever was computed before the update of `step`, or was an input of it, differs no later than the rate. */
static bool state_before(const struct ts_inquiry *q, int64_t step)
{
	static const enum ts_series_kind kinds[] = {TS_KIND_LOSS, TS_KIND_GRAD_NORM, TS_KIND_GRADS, TS_KIND_BATCH, TS_KIND_RNG};
	const struct ts_first *params = &q->first[TS_KIND_PARAMS], *eval = &q->first[TS_KIND_EVAL];

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (q->first[kinds[i]].parts && q->first[kinds[i]].step <= step)
			return true;
	if (eval->parts && eval->step < step)
		return true;
	return params->parts && (params->step < step || (params->step == step && q->params_time == TS_DIGEST_BEFORE));
}

/* Where a record has the rate and the loss of one step for the first time, a schedule that reacts to the loss would
 * look the same. */
static bool same_record(struct ts_inquiry *q, const struct ts_first *lr)
{
	bool inputs = q->first[TS_KIND_BATCH].parts && q->first[TS_KIND_BATCH].step <= lr->step;

	if (lr->step == q->start && ts_in_turn(q) && !inputs && !q->first[TS_KIND_RNG].parts) {
		ts_say_for(q, "a loss of the same step agrees: the networks are updated in turn, and the second loss follows from the "
			      "first update");
		ts_conclude(q, TS_CAUSE_CONFIG, TS_CONFIDENCE_MEDIUM, "The learning rate differs from step %" PRId64 " on: it is %.*s",
			    lr->step, TS_SPAN_ARG(ts_values_text(q, lr->series->a, lr->series->b)));
		return true;
	}
	if (ts_at_first_pass(q) && q->cadence == 1)
		ts_say_against(q, "the learning rate differs from the first step on, but so does the loss, and no update had "
				  "acted on that loss yet");
	else
		ts_say_against(q,
			       "the learning rate first differs at step %" PRId64
			       ", but what it acts on differs there too: a schedule that reacts to a difference would look the same",
			       lr->step);
	ts_remain(q, TS_CAUSE_CONFIG);
	return false;
}

enum { BEHIND_MOST = 2 }; /* records by which a schedule that is stepped too late, or once too often, runs behind or ahead */

/* Every rate is the other run's of a record or two before: no resume does that. */
static void runs_behind(struct ts_inquiry *q, const struct ts_first *lr, struct ts_span values)
{
	const struct ts_rates_moved *rates = &q->e->rates;
	const char *late = rates->of_a ? "first" : "second", *other = rates->of_a ? "second" : "first";
	struct ts_say by = ts_say_plural(-(double)rates->by, "step");

	ts_say_for(q, "from step %" PRId64 " on the learning rate of the %s run is, in every bit, that of the %s run %s before, at %s",
		   lr->step, late, other, by.text, ts_say_plural((double)rates->steps, "step").text);
	ts_conclude(q, schedule_cause(q), TS_CONFIDENCE_MEDIUM,
		    "The learning rate differs from step %" PRId64
		    " on: it is %.*s. The schedule of the %s run is %s behind that of the %s run, as where code steps it in another "
		    "place",
		    lr->step, TS_SPAN_ARG(values), late, by.text, other);
	ts_remain(q, TS_CAUSE_CODE);
	ts_remain(q, TS_CAUSE_CONFIG);
	ts_remain(q, TS_CAUSE_RESUME_STATE);
}

/* After a resume, a rate that differs shows that its schedule was not restored; so do rates that were used before, whether or not a
 * resume was recorded. In a log of every n-th step, the loss may differ at the same record. */
static bool schedule_lost(struct ts_inquiry *q, const struct ts_first *lr, struct ts_span values)
{
	const struct ts_rates_moved *rates = &q->e->rates;
	bool inputs = (q->first[TS_KIND_BATCH].parts && q->first[TS_KIND_BATCH].step <= lr->step) ||
		      (q->first[TS_KIND_RNG].parts && q->first[TS_KIND_RNG].step <= lr->step);
	bool state = state_before(q, lr->step), resumed;
	int64_t resume;

	resumed = ts_resume_before(q, lr->step, &resume) || (lr->step == q->start && ts_resume_guessed(q, &resume));
	if ((!resumed && !rates->by) || (state && inputs) || ts_fact_names(q, TS_CAUSE_CONFIG))
		return false;
	if (!resumed && ts_records(q, 0, -rates->by) <= BEHIND_MOST) {
		/* A schedule is not stepped where an update is skipped. */
		if (ts_one_skipped(q))
			return false;
		runs_behind(q, lr, values);
		return true;
	}
	if (rates->by)
		ts_say_for(q,
			   "from step %" PRId64 " on the learning rate of the %s run is that of step %" PRId64
			   " on, in every bit at %s: its schedule began anew",
			   lr->step, rates->of_a ? "first" : "second", lr->step + rates->by,
			   ts_say_plural((double)rates->steps, "step").text);
	if (resumed)
		ts_conclude(q, TS_CAUSE_RESUME_STATE, state && !rates->by ? TS_CONFIDENCE_LOW : TS_CONFIDENCE_MEDIUM,
			    "After the resume at step %" PRId64 " the learning rate is %.*s: its schedule was not restored", resume,
			    TS_SPAN_ARG(values));
	else
		ts_conclude(q, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM,
			    "The learning rate differs from step %" PRId64
			    " on: it is %.*s. Its schedule began anew there in the %s run, as after a resume that did not restore it",
			    lr->step, TS_SPAN_ARG(values), rates->of_a ? "first" : "second");
	ts_remain(q, TS_CAUSE_CONFIG);
	return true;
}

static bool by_learning_rate(struct ts_inquiry *q)
{
	const struct ts_first *lr = &q->first[TS_KIND_LR];
	int64_t effect = q->f;
	bool shown = effect_step(q, &effect), lost;
	struct ts_span values;
	double distance;

	if (!lr->parts)
		return false;
	distance = ts_records(q, lr->step, effect);
	if (distance < 0 || distance > ts_cut_of(q, TS_CUT_LR_STEPS)) {
		(void)precedes(q, TS_KIND_LR, TS_CUT_LR_STEPS);
		return false;
	}
	values = ts_values_text(q, lr->series->a, lr->series->b);
	lost = schedule_lost(q, lr, values);
	if (!lost && state_before(q, lr->step))
		return same_record(q, lr);
	ts_say_for(q, "at step %" PRId64 " the learning rate is %.*s%s", lr->step, TS_SPAN_ARG(values),
		   shown && distance > 0 && !state_before(q, lr->step) ? "; everything that was computed before that update agrees"
								       : "");
	if (!lost)
		conclude_rate(q, lr->step, values);
	q->d.step = lr->step;
	return true;
}

/* --- batches --- */

static enum ts_cause data_facts(const struct ts_inquiry *q)
{
	enum ts_cause cause = TS_CAUSE_UNKNOWN;

	for (size_t i = 0; i < q->e->n_facts; i++) {
		const struct ts_effect *effect = ts_effect_of(q->e->facts[i].path);

		if (!effect || !ts_fact_differs(q, &q->e->facts[i]))
			continue;
		if (effect->cause == TS_CAUSE_DATA_SET)
			return TS_CAUSE_DATA_SET;
		if ((effect->cause == TS_CAUSE_DATA_ORDER || effect->cause == TS_CAUSE_INIT_OR_DATA))
			cause = TS_CAUSE_DATA_ORDER;
	}
	return cause;
}

/* True for a digest of the data, or a name of one version of them: a name and a count of samples fit other data as
 * well. */
static bool is_of_content(struct ts_span path)
{
	static const char *const globs[] = {"*sha*",	    "*hash*",	  "*digest*", "*checksum*", "*fingerprint*",
					    "*revision*", "*version*", "*etag*",   "*commit*"};

	for (size_t i = 0; i < sizeof globs / sizeof globs[0]; i++)
		if (ts_glob(ts_span_str(globs[i]), path))
			return true;
	return false;
}

/* Both runs record which data they read, by their content, and the records agree. */
static bool same_data_said(const struct ts_inquiry *q)
{
	const struct ts_facts *facts = q->e->facts_a;

	if (!facts || !q->e->facts_b)
		return false;
	for (size_t i = 0; i < facts->n; i++) {
		const struct ts_fact *a = &facts->items[i], *b;
		const struct ts_effect *effect = ts_effect_of(a->path);

		if (!effect || effect->cause != TS_CAUSE_DATA_SET || !is_of_content(a->path))
			continue;
		b = ts_facts_find(q->e->facts_b, a->path);
		if (b && ts_fact_same(a, b))
			return data_facts(q) != TS_CAUSE_DATA_SET;
	}
	return false;
}

static void data_position(struct ts_inquiry *q, int64_t step)
{
	int64_t shift = q->e->batches.shift;

	ts_conclude(q, TS_CAUSE_DATA_POSITION, TS_CONFIDENCE_HIGH,
		    "From step %" PRId64 " on the second run trains on the batches that the first run has %s %s", step,
		    ts_say_plural(shift < 0 ? -(double)shift : (double)shift, "step").text,
		    shift < 0 ? "earlier" : "later");
}

static void data_elsewhere(struct ts_inquiry *q, int64_t step)
{
	const struct ts_batch_relation *r = &q->e->batches;
	bool set = data_facts(q) == TS_CAUSE_DATA_SET, moved = r->answer == TS_BATCHES_REORDERED;

	ts_say_for(q, "from that step on %s of the second run %s in the first run at a different step (compared: %s)",
		   ts_say_plural((double)r->shared, "batch digest").text, r->shared == 1 ? "is" : "are",
		   ts_say_count((double)r->compared).text);
	if (moved || (same_data_said(q) && !set)) {
		ts_conclude(q, TS_CAUSE_DATA_ORDER, TS_CONFIDENCE_HIGH,
			    "The batches come in a different order from step %" PRId64 " on", step);
		return;
	}
	if (set)
		ts_conclude(q, TS_CAUSE_DATA_SET, TS_CONFIDENCE_MEDIUM,
			    "The batches differ from step %" PRId64 " on, and the recorded facts say that the data differ", step);
	else
		ts_conclude(q, TS_CAUSE_ORDER_OR_SET, TS_CONFIDENCE_MEDIUM,
			    "The batches differ from step %" PRId64
			    " on, and some of them come at a different step: the data order differs, or the data set",
			    step);
	ts_remain(q, TS_CAUSE_DATA_ORDER);
	ts_remain(q, TS_CAUSE_DATA_SET);
}

enum { STRETCH_LEAST = 3 }; /* batches in a row that share samples, where each of a data set would differ by itself */

/* All batches that differ follow one another, and those behind them agree again: an order that was drawn anew until an epoch's end
 * looks so, and so do data that were read otherwise for a while. */
static bool one_stretch(const struct ts_batch_relation *r)
{
	return r->stretch >= STRETCH_LEAST && r->stretch == r->compared - r->kept && r->kept > 0;
}

/* Some batches differ and occur nowhere else, among others that stayed in their places. */
static void data_replaced(struct ts_inquiry *q, int64_t step)
{
	const struct ts_batch_relation *r = &q->e->batches;
	bool said = data_facts(q) == TS_CAUSE_DATA_SET;

	ts_say_for(q,
		   "from that step on %s of %s agree at the same step, and the others are nowhere in the first run: no "
		   "batch has "
		   "moved",
		   ts_say_count((double)r->kept).text, ts_say_plural((double)r->compared, "batch digest").text);
	if (one_stretch(r)) {
		bool same = same_data_said(q);

		ts_conclude(q, same ? TS_CAUSE_DATA_ORDER : TS_CAUSE_ORDER_OR_SET, same ? TS_CONFIDENCE_LOW : TS_CONFIDENCE_MEDIUM,
			    "%s in a row hold different samples from step %" PRId64
			    " on, and those behind them agree again: %s",
			    ts_say_plural((double)r->stretch, "batch").text, step,
			    same ? "the data are the same, so the samples seem to have changed places among these batches"
				 : "the samples changed places among these batches, or these samples differ");
		ts_remain(q, TS_CAUSE_DATA_ORDER);
		ts_remain(q, TS_CAUSE_DATA_SET);
		return;
	}
	if (same_data_said(q)) {
		ts_say_against(q, "both runs say that they read the same data: samples may have changed places between "
				  "batches or "
				  "within a batch");
		ts_conclude(q, TS_CAUSE_ORDER_OR_SET, TS_CONFIDENCE_MEDIUM,
			    "Some batches hold different samples from step %" PRId64
			    " on, although both runs say that they read the same data",
			    step);
		ts_remain(q, TS_CAUSE_DATA_SET);
		ts_remain(q, TS_CAUSE_DATA_ORDER);
		return;
	}
	ts_conclude(q, TS_CAUSE_DATA_SET, said ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
		    "Some batches hold different samples from step %" PRId64
		    " on, but the order of the batches is the same%s",
		    step, said ? "; the recorded facts say that the data differ" : "");
	ts_remain(q, TS_CAUSE_DATA_ORDER);
}

/* A seed of the order differs, and both runs recorded it. */
static bool order_said(const struct ts_inquiry *q)
{
	return data_facts(q) == TS_CAUSE_DATA_ORDER && ts_fact_names(q, TS_CAUSE_DATA_ORDER);
}

/* What the sampler drew differs, and not only what became of it. */
static bool indices_differ(const struct ts_inquiry *q)
{
	for (size_t i = 0; i < q->e->n_series; i++) {
		const struct ts_evidence_series *s = &q->e->series[i];

		if (s->kind == TS_KIND_BATCH && s->parts && s->first <= q->first[TS_KIND_BATCH].step &&
		    ts_span_is(s->name, "digests.indices"))
			return true;
	}
	return false;
}

static const struct ts_fact_row *row_of(const struct ts_inquiry *q, const char *path)
{
	for (size_t i = 0; i < q->e->n_facts; i++)
		if (ts_span_is(q->e->facts[i].path, path) && q->e->facts[i].a && q->e->facts[i].b)
			return &q->e->facts[i];
	return NULL;
}

/* A loader of the same batch size has another number of batches. */
static const struct ts_fact_row *other_length(const struct ts_inquiry *q)
{
	const struct ts_fact_row *row = row_of(q, "work.loader.batches");

	return row && !row_of(q, "work.loader.batch_size") && !ts_worlds_differ(q) && row->a->type == TS_FACT_INT &&
			       row->b->type == TS_FACT_INT
		       ? row
		       : NULL;
}

/* The loader of each rank has as many times more batches as there are ranks: in one run they do not share the data. */
static bool not_shared(struct ts_inquiry *q, const struct ts_fact_row *row, int64_t step)
{
	double a = (double)row->a->integer, b = (double)row->b->integer, world = q->e->world_a;
	bool code = ts_group_differs(q, TS_GROUP_CODE);

	if (world < 2 || !(fmin(a, b) > 0) || fabs(fmax(a, b) - world * fmin(a, b)) >= world)
		return false;
	ts_conclude(q, code ? TS_CAUSE_CODE : TS_CAUSE_CONFIG, TS_CONFIDENCE_MEDIUM,
		    "The batches differ from step %" PRId64
		    " on: the loader of each of %s has %s batches in the first run and %s in the second, so in the %s run each rank "
		    "reads all of the data and no share of its own",
		    step, ts_say_plural(world, "rank").text, ts_say_count(a).text, ts_say_count(b).text, a > b ? "first" : "second");
	ts_remain(q, TS_CAUSE_CODE);
	ts_remain(q, TS_CAUSE_CONFIG);
	ts_remain(q, TS_CAUSE_DATA_SET);
	return true;
}

/* Where one rank reads all of them, the data have another length. */
static bool length_differs(struct ts_inquiry *q, int64_t step, enum ts_confidence sure)
{
	const struct ts_fact_row *row = other_length(q);

	if (!row)
		return false;
	if (not_shared(q, row, step))
		return true;
	if (ts_several_ranks(q))
		return false;
	ts_conclude(q, TS_CAUSE_DATA_SET, sure,
		    "The batches differ from step %" PRId64
		    " on, and the data have another length: the loader has %s batches of the same size in the first run and %s in the "
		    "second",
		    step, ts_say_count((double)row->a->integer).text, ts_say_count((double)row->b->integer).text);
	ts_remain(q, TS_CAUSE_DATA_ORDER);
	return true;
}

/* Workers have generators of their own: what they draw for a sample is not what the main process, or another worker, draws. */
static bool workers_draw(struct ts_inquiry *q, int64_t step)
{
	const struct ts_fact_row *row = row_of(q, "data.num_workers");

	if (!row || indices_differ(q) || row_of(q, "work.loader.batch_size") || row->a->type != TS_FACT_INT ||
	    row->b->type != TS_FACT_INT)
		return false;
	ts_conclude(q, TS_CAUSE_CONFIG, ts_fact_names(q, TS_CAUSE_RNG_STREAM) ? TS_CONFIDENCE_LOW : TS_CONFIDENCE_MEDIUM,
		    "The batches differ from step %" PRId64
		    " on, and data.num_workers differs (%s in the first run, %s in the second): workers have random generators of "
		    "their own, so samples that are made with random numbers become others",
		    step, ts_say_count((double)row->a->integer).text, ts_say_count((double)row->b->integer).text);
	ts_remain(q, TS_CAUSE_RNG_STREAM);
	ts_remain(q, TS_CAUSE_DATA_SET);
	return true;
}

/* The same samples were drawn, in the same order, and became other batches. */
static void made_of_same(struct ts_inquiry *q, int64_t step, enum ts_confidence sure)
{
	ts_say_for(q, "the sampler draws the same indices at step %" PRId64, step);
	ts_conclude(q, TS_CAUSE_DATA_SET, sure,
		    "The batches differ from step %" PRId64
		    " on, although they hold the samples of the same indices: the data differ, or what is made of them",
		    step);
	ts_remain(q, TS_CAUSE_CODE);
	ts_remain(q, TS_CAUSE_CONFIG);
	ts_remain(q, TS_CAUSE_DATA_ORDER);
}

/* No batch is in both runs: samples in another order, other samples, or batches that are composed otherwise. */
static void data_unlike(struct ts_inquiry *q, int64_t step)
{
	enum ts_confidence sure = ts_fact_names(q, TS_CAUSE_CODE) || ts_fact_names(q, TS_CAUSE_CONFIG) ||
						  ts_fact_names(q, TS_CAUSE_PRECISION)
					  ? TS_CONFIDENCE_LOW
					  : TS_CONFIDENCE_HIGH;
	enum ts_confidence likely = sure == TS_CONFIDENCE_LOW ? TS_CONFIDENCE_LOW : TS_CONFIDENCE_MEDIUM;

	if (workers_draw(q, step))
		return;
	if (data_facts(q) == TS_CAUSE_DATA_SET) {
		ts_conclude(q, TS_CAUSE_DATA_SET, sure,
			    "The data differ from step %" PRId64 " on, and the recorded facts say so", step);
		ts_remain(q, TS_CAUSE_DATA_ORDER);
		return;
	}
	if (ts_agrees_at(q, TS_KIND_INDICES, step)) {
		made_of_same(q, step, likely);
		return;
	}
	if (order_said(q)) {
		/* A seed of the data may make them, too, where nothing says that they are the same. */
		ts_conclude(q, TS_CAUSE_DATA_ORDER, same_data_said(q) ? sure : likely,
			    "The data are read in a different order from step %" PRId64 " on, and the recorded seeds say so", step);
		ts_remain(q, TS_CAUSE_DATA_SET);
		return;
	}
	if (length_differs(q, step, likely))
		return;
	if (indices_differ(q)) {
		ts_conclude(q, TS_CAUSE_DATA_ORDER, TS_CONFIDENCE_MEDIUM,
			    "The sampler draws other samples from step %" PRId64 " on: the indices of the batches differ", step);
		ts_remain(q, TS_CAUSE_DATA_SET);
		ts_remain(q, TS_CAUSE_CONFIG);
		return;
	}
	if (same_data_said(q)) {
		ts_say_for(q, "both runs say that they read the same data");
		ts_say_against(
			q, "no batch of one run is in the other run: batches of a different size, or that are made in a different way, "
			   "would look the same");
		if (step > q->first[TS_KIND_BATCH].start)
			ts_conclude(q, TS_CAUSE_DATA_ORDER, TS_CONFIDENCE_LOW,
				    "The batches differ from step %" PRId64
				    " on, after equal ones, although the data are the same: they seem to be drawn in a different "
				    "order from there on",
				    step);
		else if (ts_fact_names(q, TS_CAUSE_CODE) && !ts_fact_names(q, TS_CAUSE_CONFIG))
			ts_conclude(q, TS_CAUSE_CODE, TS_CONFIDENCE_MEDIUM,
				    "The batches differ from step %" PRId64
				    " on although the data are the same, and of what both runs recorded the code differs: it draws "
				    "or makes them in a different way",
				    step);
		else
			ts_conclude(q, TS_CAUSE_ORDER_OR_SET, TS_CONFIDENCE_MEDIUM,
				    "The batches differ from step %" PRId64
				    " on although the data are the same: they are drawn in a different order, or made in a "
				    "different way",
				    step);
		ts_remain(q, TS_CAUSE_DATA_ORDER);
		ts_remain(q, TS_CAUSE_CONFIG);
		return;
	}
	ts_say_against(q, "no batch of one run is in the other run, and the same samples in a different order would "
			  "look like different samples");
	ts_conclude(q, TS_CAUSE_ORDER_OR_SET, TS_CONFIDENCE_MEDIUM,
		    "The batches differ from step %" PRId64
		    " on: the data order or the data set differs, and no recorded fact shows which",
		    step);
	ts_remain(q, TS_CAUSE_DATA_ORDER);
	ts_remain(q, TS_CAUSE_DATA_SET);
}

/* Batches of one run were not searched for in the other. */
static void data_unknown(struct ts_inquiry *q, int64_t step)
{
	struct ts_span why = q->e->batches_unknown;

	ts_say_against(q, "tscope did not look for the batches of one run in the other run%s%.*s", why.len ? ": " : "",
		       TS_SPAN_ARG(why));
	if (data_facts(q) == TS_CAUSE_DATA_SET) {
		ts_conclude(q, TS_CAUSE_DATA_SET, TS_CONFIDENCE_MEDIUM,
			    "The batches differ from step %" PRId64
			    " on, and the recorded facts say that the data differ",
			    step);
	} else {
		ts_conclude(q, TS_CAUSE_ORDER_OR_SET, TS_CONFIDENCE_MEDIUM,
			    "The batches differ from step %" PRId64
			    " on: it is not known whether the data order, the data position or the data set differs",
			    step);
		ts_remain(q, TS_CAUSE_DATA_SET);
	}
	ts_remain(q, TS_CAUSE_DATA_ORDER);
	ts_remain(q, TS_CAUSE_DATA_POSITION);
}

/* Where steps before the first common one are missing on a side, anything may have changed the parameters by then. */
static bool init_differs(const struct ts_inquiry *q)
{
	const struct ts_first *params = &q->first[TS_KIND_PARAMS];

	return params->parts && params->step == q->start && params->from_first && q->params_time == TS_DIGEST_BEFORE;
}

/* The generators differ no later than the batches: they may have drawn the batches, or a policy that draws its
 * actions produced them. */
static bool drawn_batches(struct ts_inquiry *q, const struct ts_first *batch)
{
	const struct ts_first *rng = &q->first[TS_KIND_RNG];
	int64_t resume;

	if (!rng->parts || rng->step > batch->step)
		return false;
	ts_say_for(q, "the states of the random generators differ from step %" PRId64 " on, the batches from step %" PRId64 " on",
		   rng->step, batch->step);
	if (ts_resume_before(q, rng->step, &resume)) {
		ts_conclude(q, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM,
			    "After the resume at step %" PRId64 " the random generators are not restored, and the batches differ",
			    resume);
		ts_remain(q, TS_CAUSE_RESUME_DATA);
	} else if (init_differs(q)) {
		ts_conclude(q, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_MEDIUM,
			    "The initial parameters, the random generators and the batches all differ from step %" PRId64
			    " on, as where all of them are drawn from another seed",
			    rng->step);
		ts_remain(q, TS_CAUSE_INIT);
		ts_remain(q, TS_CAUSE_DATA_ORDER);
	} else if (rng->step == q->start && ts_fact_names(q, TS_CAUSE_INIT)) {
		ts_conclude(q, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_LOW,
			    "The random generators and the batches differ from step %" PRId64
			    " on, and so does the seed of the initialization: which of them acts first cannot be told",
			    rng->step);
		ts_remain(q, TS_CAUSE_INIT);
	} else if (workers_draw(q, batch->step)) {
		ts_say_for(q, "the main process draws nothing for samples that workers make, so its generators differ, too");
	} else if (rng->step < batch->step) {
		ts_conclude(q, TS_CAUSE_RNG_STREAM, TS_CONFIDENCE_MEDIUM,
			    "The states of the random generators differ from step %" PRId64 " on, and the batches after them",
			    rng->step);
	} else {
		ts_conclude(q, TS_CAUSE_KERNEL_RNG_OR_DATA, TS_CONFIDENCE_LOW,
			    "The random generators and the batches differ from step %" PRId64
			    " on: either the generators draw the batches or the actions that make them, or the data differ too",
			    batch->step);
	}
	ts_remain(q, TS_CAUSE_RNG_STREAM);
	ts_remain(q, TS_CAUSE_ON_POLICY);
	ts_remain(q, TS_CAUSE_DATA_ORDER);
	ts_remain(q, TS_CAUSE_DATA_SET);
	q->d.step = rng->step;
	return true;
}

static void resumed_batches(struct ts_inquiry *q, int64_t resume)
{
	bool moved = q->e->batches.answer == TS_BATCHES_SHIFTED, state = ts_same_parameters(q) && ts_agrees_at(q, TS_KIND_RNG, q->f);

	if (moved)
		ts_say_for(
			q,
			"from that step on the second run trains on the batches that the first run has %s %s",
			ts_say_plural(fabs((double)q->e->batches.shift), "step").text,
			q->e->batches.shift < 0 ? "earlier" : "later");
	ts_conclude(q, TS_CAUSE_RESUME_DATA, moved || state ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
		    "After the resume at step %" PRId64 " the data continue from a different position", resume);
	ts_remain(q, TS_CAUSE_RESUME_STATE);
}

/* Batches that differ only after a state that differs are an effect of that state. So are those that a run makes itself: before
 * they differ, its state does, whether a digest shows that or not. */
static bool batches_follow(struct ts_inquiry *q, const struct ts_first *batch)
{
	const struct ts_first *params = &q->first[TS_KIND_PARAMS], *rng = &q->first[TS_KIND_RNG];

	if (q->e->rewards && batch->step > q->start && !(rng->parts && rng->step <= batch->step)) {
		ts_say_for(q,
			   "the batches differ from step %" PRId64
			   " on; both runs log rewards or episodes, so they make their own batches, and these differ because the "
			   "run does",
			   batch->step);
		return true;
	}
	if (!params->parts || params->step > batch->step ||
	    (params->step == batch->step && q->params_time != TS_DIGEST_BEFORE) || params->step == q->start)
		return false;
	ts_say_for(q, "the batches differ from step %" PRId64 " on, when the parameters already differ: the run makes its own data",
		   batch->step);
	return true;
}

/* A setting that may change the content of a batch (its size, or a setting of unknown effect) differs, and no fact
 * about the data does but such as may follow from that setting. */
static bool made_otherwise(struct ts_inquiry *q)
{
	enum ts_batch_answer answer = q->e->batches.answer;

	if (data_facts(q) != TS_CAUSE_UNKNOWN && !ts_setting_makes_data(q))
		return false;
	if (answer == TS_BATCHES_REORDERED || answer == TS_BATCHES_REPLACED ||
	    !(ts_fact_names(q, TS_CAUSE_CONFIG) || ts_fact_names(q, TS_CAUSE_REDUCTION_ORDER)))
		return false;
	if (!ts_diagnose_facts(q, TS_PLACE_BATCH))
		return false;
	if (q->d.confidence == TS_CONFIDENCE_HIGH)
		q->d.confidence = TS_CONFIDENCE_MEDIUM;
	ts_say_for(q, "the batches differ, as where each holds another number of samples");
	ts_remain(q, TS_CAUSE_DATA_ORDER);
	ts_remain(q, TS_CAUSE_DATA_SET);
	return true;
}

/* A seed of the initialization differs, and no recorded fact about the data does. */
static bool init_said(const struct ts_inquiry *q)
{
	return ts_fact_names(q, TS_CAUSE_INIT) && data_facts(q) == TS_CAUSE_UNKNOWN;
}

/* A policy produces its own batches, so other parameters give other batches; elsewhere both were drawn anew. */
static void both_differ(struct ts_inquiry *q, int64_t step)
{
	bool before = init_differs(q);

	if (!init_said(q) && ts_fact_names(q, TS_CAUSE_CONFIG) && ts_diagnose_facts(q, TS_PLACE_BATCH)) {
		if (q->d.confidence > TS_CONFIDENCE_MEDIUM)
			q->d.confidence = TS_CONFIDENCE_MEDIUM;
		ts_say_for(q, "both the initial parameters and the batches differ from step %" PRId64 " on", step);
	} else if (init_said(q))
		ts_conclude(q, TS_CAUSE_INIT, before ? TS_CONFIDENCE_MEDIUM : TS_CONFIDENCE_LOW,
			    "The initialization differs, as the recorded seeds say, and the batches differ from step %" PRId64
			    " on, as where a policy makes them",
			    step);
	else
		ts_conclude(q, TS_CAUSE_INIT_OR_DATA, TS_CONFIDENCE_MEDIUM,
			    "Both the initial parameters and the batches differ from step %" PRId64 " on", step);
	ts_remain(q, TS_CAUSE_INIT);
	ts_remain(q, TS_CAUSE_DATA_ORDER);
	ts_remain(q, TS_CAUSE_DATA_SET);
	ts_remain(q, TS_CAUSE_ON_POLICY);
}

/* The first losses are equal up to rounding: the digests differ because the numbers are stored otherwise. */
static bool stored_otherwise(const struct ts_inquiry *q)
{
	const struct ts_first *loss = &q->first[TS_KIND_LOSS];

	return loss->recorded && loss->start == q->start &&
	       (!loss->parts || loss->step > q->start || loss->jump < ts_cut_of(q, TS_CUT_NUMERIC));
}

/* A setting of the type of numbers: how products are rounded, or which kernels take them, changes no batch. */
static bool type_differs(const struct ts_inquiry *q)
{
	for (size_t i = 0; i < q->e->n_facts; i++) {
		struct ts_span path = q->e->facts[i].path;

		if ((ts_glob(ts_span_str("config.*dtype*"), path) || ts_glob(ts_span_str("config.*precision*"), path)) &&
		    !ts_glob(ts_span_str("*matmul*"), path) && ts_fact_differs(q, &q->e->facts[i]))
			return true;
	}
	return false;
}

/* A model whose first outputs are zero has the same first loss of any batch: the losses behind it tell, too. */
static bool rounds_otherwise(const struct ts_inquiry *q)
{
	const struct ts_first *loss = &q->first[TS_KIND_LOSS];

	return loss->parts && loss->jump < ts_cut_of(q, TS_CUT_NUMERIC) && loss->series->gap.known &&
	       !(loss->series->gap.after_10 > ts_cut_of(q, TS_CUT_INIT));
}

/* The same values in another type have another digest in every batch, and so has the data set if it is kept so. */
static bool batches_of_another_type(struct ts_inquiry *q, int64_t step)
{
	if (step != q->start || q->e->batches.answer != TS_BATCHES_DISJOINT || !stored_otherwise(q) || !rounds_otherwise(q) ||
	    !type_differs(q))
		return false;
	ts_conclude(q, TS_CAUSE_PRECISION, TS_CONFIDENCE_MEDIUM,
		    "The batches differ from step %" PRId64
		    " on, but the first losses by no more than rounding, and a precision differs: the same values are stored in a "
		    "different type",
		    step);
	ts_remain(q, TS_CAUSE_DATA_SET);
	ts_remain(q, TS_CAUSE_DATA_ORDER);
	return true;
}

static bool by_batches(struct ts_inquiry *q)
{
	const struct ts_first *batch = &q->first[TS_KIND_BATCH];
	int64_t resume;

	if (!precedes(q, TS_KIND_BATCH, TS_CUT_INPUT_STEPS) || batches_follow(q, batch))
		return false;
	if (drawn_batches(q, batch))
		return true;
	if (batches_of_another_type(q, batch->step)) {
		q->d.step = batch->step;
		return true;
	}
	if (ts_resume_before(q, batch->step, &resume)) {
		resumed_batches(q, resume);
	} else if (init_differs(q) || (batch->step == q->start && init_said(q))) {
		both_differ(q, batch->step);
	} else if (q->e->batches.answer == TS_BATCHES_SHIFTED) {
		data_position(q, batch->step);
	} else if (!made_otherwise(q)) {
		if (q->e->batches.answer == TS_BATCHES_REORDERED || q->e->batches.answer == TS_BATCHES_OVERLAP)
			data_elsewhere(q, batch->step);
		else if (q->e->batches.answer == TS_BATCHES_REPLACED)
			data_replaced(q, batch->step);
		else if (q->e->batches.answer == TS_BATCHES_UNKNOWN)
			data_unknown(q, batch->step);
		else
			data_unlike(q, batch->step);
	}
	q->d.step = batch->step;
	if (batch->step == q->start && q->first[TS_KIND_PARAMS].parts && q->params_time == TS_DIGEST_UNKNOWN)
		ts_remain(q, TS_CAUSE_INIT);
	return true;
}

/* --- parameters at the beginning --- */

/* Facts that change the model or how its parameters are stored come before another initialization. */
static bool initial_facts(struct ts_inquiry *q)
{
	bool precision = ts_fact_names(q, TS_CAUSE_PRECISION), seeds = ts_fact_names(q, TS_CAUSE_INIT);

	if (seeds || !(precision || ts_fact_names(q, TS_CAUSE_CONFIG)))
		return false;
	if (!ts_diagnose_facts(q, TS_PLACE_UNKNOWN))
		return false;
	ts_say_for(q, "the digests of the parameters differ before the first update, at step %" PRId64, q->start);
	ts_remain(q, TS_CAUSE_INIT);
	return true;
}

/* A digest differs that is known to be from before the first update. */
static void initial_parameters(struct ts_inquiry *q)
{
	bool code = ts_fact_names(q, TS_CAUSE_CODE);

	if (initial_facts(q))
		return;
	if (stored_otherwise(q) && ts_worlds_differ(q)) {
		ts_conclude(q, TS_CAUSE_REDUCTION_ORDER, TS_CONFIDENCE_LOW,
			    "The digests of the parameters differ before the first update, but the first losses differ by no more than "
			    "rounding: another number of ranks may hold other parts of the same parameters, whose sums are made in "
			    "another order");
		ts_remain(q, TS_CAUSE_PRECISION);
		ts_remain(q, TS_CAUSE_INIT);
		return;
	}
	if (stored_otherwise(q)) {
		ts_conclude(q, TS_CAUSE_PRECISION, TS_CONFIDENCE_LOW,
			    "The digests of the parameters differ before the first update, but the first losses differ by no more than "
			    "rounding: the same values are stored in a different type");
		ts_remain(q, TS_CAUSE_INIT);
		return;
	}
	if (ts_worlds_differ(q)) {
		ts_conclude(q, TS_CAUSE_INIT, TS_CONFIDENCE_LOW,
			    "The digests of the parameters differ before the first update, at step %" PRId64
			    ": the parameters differ, or another number of ranks holds other parts of them",
			    q->start);
		ts_remain(q, TS_CAUSE_REDUCTION_ORDER);
		ts_remain(q, TS_CAUSE_CONFIG);
		ts_remain(q, TS_CAUSE_CODE);
		return;
	}
	ts_conclude(q, TS_CAUSE_INIT, code || q->e->params_time == TS_DIGEST_UNKNOWN ? TS_CONFIDENCE_MEDIUM : TS_CONFIDENCE_HIGH,
		    "The parameters differ before the first update, at step %" PRId64, q->start);
	if (code)
		ts_say_against(q, "the code differs too, and may build or initialize the model in a different way");
	if (q->e->params_time == TS_DIGEST_UNKNOWN)
		ts_say_against(q, "it was not declared whether the digest of the parameters is from before or after the update of its "
				  "step (columns.digests.params.when); that of the optimizer still agrees there although the "
				  "gradients do not, so it is from before");
}

static bool seeds_of_init(const struct ts_inquiry *q)
{
	for (size_t i = 0; i < q->e->n_facts; i++) {
		const struct ts_effect *effect = ts_effect_of(q->e->facts[i].path);

		if (effect && ts_fact_differs(q, &q->e->facts[i]) &&
		    (effect->cause == TS_CAUSE_INIT || effect->cause == TS_CAUSE_INIT_OR_DATA))
			return true;
	}
	return false;
}

/* No run declared whether the digest of the first step is from before its update: the cause is another
 * initialization, or another computation of the first step. */
static bool before_or_after(struct ts_inquiry *q)
{
	bool batch = ts_agrees_at(q, TS_KIND_BATCH, q->start), rng = ts_agrees_at(q, TS_KIND_RNG, q->start);

	if (q->params_time == TS_DIGEST_AFTER || !ts_at_start(q) || !q->first[TS_KIND_LOSS].parts ||
	    q->first[TS_KIND_LOSS].step != q->start || !batch ||
	    (q->first[TS_KIND_RNG].parts && q->first[TS_KIND_RNG].step == q->start))
		return false;
	ts_say_against(q, "it was not declared whether the digest of the parameters is from before or after the update of its step "
			  "(columns.digests.params.when)");
	if (ts_diagnose_facts(q, TS_PLACE_UNKNOWN)) {
		if (seeds_of_init(q) && rng && q->d.cause == TS_CAUSE_INIT && q->d.confidence == TS_CONFIDENCE_LOW)
			q->d.confidence = TS_CONFIDENCE_MEDIUM;
		ts_remain(q, TS_CAUSE_INIT);
		return true;
	}
	ts_conclude(
		q, TS_CAUSE_UNKNOWN, TS_CONFIDENCE_LOW,
		"The parameters and the loss differ at the first step, but the batch agrees: either the initialization differs, or the "
		"first step computes something else");
	ts_remain_of_first_pass(q);
	return true;
}

static bool by_parameters(struct ts_inquiry *q)
{
	const struct ts_first *params = &q->first[TS_KIND_PARAMS];
	int64_t resume;

	if (!params->parts || params->step != q->start)
		return false;
	if (ts_resume_before(q, q->start, &resume) && q->params_time == TS_DIGEST_BEFORE) {
		ts_conclude(q, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_HIGH,
			    "The resume at step %" PRId64 " did not restore the same parameters", resume);
		return true;
	}
	if (!params->from_first)
		return false;
	if (init_differs(q)) {
		initial_parameters(q);
		return true;
	}
	return before_or_after(q);
}

/* --- generators --- */

/* A state that was read behind the pass differs where another state began it, and where the pass drew otherwise. */
static void conclude_generators(struct ts_inquiry *q, bool batch, bool params)
{
	const struct ts_first *rng = &q->first[TS_KIND_RNG];
	bool before = q->e->rng_before_pass;

	if (!batch)
		ts_say_against(q, "the batches were not recorded, and a random generator may have drawn them too");
	if (!params)
		ts_say_against(q, "the parameters before their first update were not recorded, and a random generator may have "
				  "drawn them too");
	if (!before)
		ts_say_against(
			q, "it is not known whether the states of the generators are those before or behind the pass of their step: "
			   "a pass that draws more or fewer numbers would look the same");
	ts_conclude(q, TS_CAUSE_RNG_STREAM,
		    batch && params ? (before || ts_fact_names(q, TS_CAUSE_RNG_STREAM) ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM)
				    : TS_CONFIDENCE_LOW,
		    "The states of the random generators differ from step %" PRId64 " on%s: dropout and other random draws differ%s",
		    rng->step, batch ? ", but the batches agree" : "",
		    before ? "" : ", or the pass draws other numbers because the code or a setting differs");
	if (!before) {
		ts_remain_facts(q);
		ts_remain(q, TS_CAUSE_CODE);
		ts_remain(q, TS_CAUSE_CONFIG);
	}
	ts_remain(q, TS_CAUSE_DATA_ORDER);
	if (!params)
		ts_remain(q, TS_CAUSE_INIT);
}

/* A setting or code that differs may have made the pass draw otherwise: it comes first. */
static bool drawn_otherwise(struct ts_inquiry *q)
{
	if (q->e->rng_before_pass || ts_fact_names(q, TS_CAUSE_RNG_STREAM) || ts_fact_names(q, TS_CAUSE_INIT_OR_DATA) ||
	    !(ts_fact_names(q, TS_CAUSE_CONFIG) || ts_fact_names(q, TS_CAUSE_CODE)))
		return false;
	if (!ts_diagnose_facts(q, TS_PLACE_UNKNOWN))
		return false;
	if (q->d.confidence > TS_CONFIDENCE_MEDIUM)
		q->d.confidence = TS_CONFIDENCE_MEDIUM;
	ts_say_for(q, "the states of the random generators differ from step %" PRId64 " on, as where a pass draws other numbers",
		   q->first[TS_KIND_RNG].step);
	ts_remain(q, TS_CAUSE_RNG_STREAM);
	return true;
}

/* A run begins where the other is under way, with other states of the generators: as one that was resumed without them. */
static void begun_with_generators(struct ts_inquiry *q, int64_t begins)
{
	ts_conclude(q, TS_CAUSE_RESUME_STATE, TS_CONFIDENCE_MEDIUM,
		    "The %s run begins at step %" PRId64
		    ", where the other was under way, with other states of the random generators: a resume did not restore them, or "
		    "they were seeded in a different way",
		    q->e->first_step_b == begins ? "second" : "first", begins);
	ts_remain(q, TS_CAUSE_RNG_STREAM);
	ts_remain(q, TS_CAUSE_RESUME_DATA);
}

static bool by_generators(struct ts_inquiry *q)
{
	const struct ts_first *rng = &q->first[TS_KIND_RNG];
	bool batch, params;
	int64_t resume;

	if (!precedes(q, TS_KIND_RNG, TS_CUT_INPUT_STEPS))
		return false;
	/* Generators that differ only after a state that differs are an effect of that state. */
	if (q->first[TS_KIND_PARAMS].parts && q->first[TS_KIND_PARAMS].step < rng->step)
		return false;
	batch = ts_agrees_at(q, TS_KIND_BATCH, rng->step);
	params = ts_agrees_at(q, TS_KIND_PARAMS, rng->step - 1) ||
		 (rng->step == q->start && ts_agrees_at(q, TS_KIND_PARAMS, q->start)) ||
		 (rng->step > q->start && ts_agrees_at(q, TS_KIND_LOSS, rng->step - q->cadence));
	if (ts_resume_before(q, rng->step, &resume)) {
		ts_conclude(q, TS_CAUSE_RESUME_STATE, batch ? TS_CONFIDENCE_HIGH : TS_CONFIDENCE_MEDIUM,
			    "The resume at step %" PRId64 " did not restore the state of the random generators",
			    resume);
		ts_remain(q, TS_CAUSE_RESUME_DATA);
	} else if (rng->step == q->start && ts_resume_guessed(q, &resume)) {
		begun_with_generators(q, resume);
	} else if (!drawn_otherwise(q)) {
		conclude_generators(q, batch, params);
	}
	q->d.step = rng->step;
	return true;
}

/* The pass began with the state of the other run and left another one: it drew other numbers. */
static bool by_draws(struct ts_inquiry *q)
{
	const struct ts_first *draws = &q->first[TS_KIND_DRAWS];

	if (!draws->parts || draws->step != q->f || !ts_agrees_at(q, TS_KIND_RNG, q->f) || !ts_same_parameters(q))
		return false;
	ts_say_for(q, "the random generators agree before the pass of step %" PRId64 " and differ behind it", q->f);
	if (ts_diagnose_facts(q, TS_PLACE_PASS))
		return true;
	ts_conclude(q, TS_CAUSE_COMPUTATION, TS_CONFIDENCE_MEDIUM,
		    "The pass of step %" PRId64 " draws other random numbers from the same state: the code or a setting differs", q->f);
	ts_remain(q, TS_CAUSE_CODE);
	ts_remain(q, TS_CAUSE_CONFIG);
	return true;
}

bool ts_diagnose_inputs(struct ts_inquiry *q)
{
	TS_DOOR(ts_inquiry_holds(q));
	if (q->dealt)
		ts_say_against(q, "the two runs split their batches over a different number of ranks: digests of "
				  "batches cannot be compared");
	if (q->passed_over)
		ts_say_against(q,
			       "the digest of the batch differs at step %" PRId64
			       " alone, with which one run begins, and those behind it, or the loss, agree: batches that were used "
			       "before may have been passed over there, so it was not used",
			       q->passed_at);
	return by_learning_rate(q) || by_batches(q) || by_parameters(q) || by_generators(q) || by_draws(q);
}
