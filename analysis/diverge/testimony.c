/* testimony.c - the table of what records prove and contradict. A new row needs a line of test_testimony.c that shows where it holds
 * and where it does not, and docs/divergence.md as ts_testimony_markdown writes it. */
#include "analysis/diverge/testimony.h"

#include "base/door.h"

/* --- conditions --- */

static bool batch_agrees(const struct ts_inquiry *q)
{
	return ts_agrees_at(q, TS_KIND_BATCH, q->f);
}

static bool batch_differs(const struct ts_inquiry *q)
{
	const struct ts_first *batch = &q->first[TS_KIND_BATCH];

	return batch->parts && batch->step <= q->f;
}

static bool batch_never_differs(const struct ts_inquiry *q)
{
	return !q->first[TS_KIND_BATCH].parts;
}

static bool parameters_agree(const struct ts_inquiry *q)
{
	return ts_same_parameters(q);
}

static bool generators_agree(const struct ts_inquiry *q)
{
	return ts_agrees_at(q, TS_KIND_RNG, q->f);
}

/* A state that differs by then may have drawn the batch. A run that makes its data makes other data from any other state. */
static bool nothing_drew(const struct ts_inquiry *q)
{
	const struct ts_first *rng = &q->first[TS_KIND_RNG];

	return !q->e->rewards && !(rng->parts && rng->step <= q->f);
}

static bool loss_agrees(const struct ts_inquiry *q)
{
	return ts_agrees_at(q, TS_KIND_LOSS, q->f);
}

static bool first_parameters_agree(const struct ts_inquiry *q)
{
	return ts_agrees_at(q, TS_KIND_PARAMS, q->start);
}

static bool first_loss_agrees(const struct ts_inquiry *q)
{
	return q->f > q->start && ts_agrees_at(q, TS_KIND_LOSS, q->start);
}

static bool first_pass(const struct ts_inquiry *q)
{
	return ts_at_first_pass(q);
}

static bool first_parameters_differ(const struct ts_inquiry *q)
{
	const struct ts_first *params = &q->first[TS_KIND_PARAMS];

	return params->parts && params->step == q->start && params->from_first && q->e->params_time == TS_DIGEST_BEFORE;
}

static bool repeats_equal(const struct ts_inquiry *q)
{
	return q->e->repeats.runs >= 3 && q->e->repeats.answer == TS_REPEATS_EQUAL;
}

static bool resumed(const struct ts_inquiry *q)
{
	return q->e->resumes_a.n + q->e->resumes_b.n > 0;
}

/* A run that goes on in the same log at the step at which it ended shows no resume, so where the training was under way only a state
 * that agrees excludes one. */
static bool never_resumed(const struct ts_inquiry *q)
{
	int64_t begins;
	bool kept = ts_agrees_at(q, TS_KIND_OPTIMIZER, q->f) && ts_agrees_at(q, TS_KIND_RNG, q->f);

	return !resumed(q) && !ts_resume_guessed(q, &begins) && (ts_at_start(q) || (kept && q->cadence <= 1));
}

static bool single_rank(const struct ts_inquiry *q)
{
	return !ts_several_ranks(q);
}

static bool one_rank_recorded(const struct ts_inquiry *q)
{
	return q->e->ranks_a == 1;
}

static bool same_worlds(const struct ts_inquiry *q)
{
	return !ts_worlds_differ(q);
}

static bool other_worlds(const struct ts_inquiry *q)
{
	return ts_worlds_differ(q);
}

static bool steps_moved(const struct ts_inquiry *q)
{
	return q->e->moved.by != 0 || q->e->stride.found;
}

static bool steps_not_moved(const struct ts_inquiry *q)
{
	return !steps_moved(q) && !(q->e->first_steps_known && q->e->first_step_a != q->e->first_step_b && !q->e->moved.looked);
}

static bool ranks_exchanged(const struct ts_inquiry *q)
{
	return q->e->ranks_exchanged;
}

static bool means_agree(const struct ts_inquiry *q)
{
	return ts_worlds_differ(q) && q->e->means.known;
}

static bool state_differs(const struct ts_inquiry *q)
{
	return q->first[TS_KIND_PARAMS].bits || q->first[TS_KIND_GRADS].bits || q->first[TS_KIND_OPTIMIZER].bits;
}

static bool input_differs(const struct ts_inquiry *q)
{
	return q->first[TS_KIND_BATCH].parts || q->first[TS_KIND_LR].parts;
}

/* Of a number written with fewer digits on one side both differ by that alone. */
static bool loss_and_norm_differ(const struct ts_inquiry *q)
{
	bool small = true;

	for (size_t i = 0; i < q->e->n_series; i++) {
		const struct ts_evidence_series *s = &q->e->series[i];

		if ((s->kind == TS_KIND_LOSS || s->kind == TS_KIND_GRAD_NORM) && s->parts &&
		    !(s->gap.known && s->gap.greatest < ts_cut_of(q, TS_CUT_NUMERIC)))
			small = false;
	}
	if (q->first[TS_KIND_PARAMS].recorded && !q->first[TS_KIND_PARAMS].bits)
		return false;
	return q->first[TS_KIND_LOSS].bits && q->first[TS_KIND_GRAD_NORM].bits && !small;
}

static bool sketch_beyond(const struct ts_inquiry *q)
{
	return q->e->sketches && q->e->sketches->has_first;
}

static bool nothing_differs(const struct ts_inquiry *q)
{
	return !q->has_f && (q->first[TS_KIND_LOSS].recorded || q->first[TS_KIND_PARAMS].recorded);
}

static bool parameters_never_differ(const struct ts_inquiry *q)
{
	return q->first[TS_KIND_PARAMS].recorded && !q->first[TS_KIND_PARAMS].bits;
}

static bool norm_never_differs(const struct ts_inquiry *q)
{
	return (q->first[TS_KIND_GRAD_NORM].recorded && !q->first[TS_KIND_GRAD_NORM].parts) || q->e->others_same;
}

static bool setting_differs(const struct ts_inquiry *q)
{
	return ts_fact_names(q, TS_CAUSE_CONFIG);
}

static bool kernel_fact_differs(const struct ts_inquiry *q)
{
	return ts_fact_names(q, TS_CAUSE_PRECISION) || ts_fact_names(q, TS_CAUSE_REDUCTION_ORDER) ||
	       ts_fact_names(q, TS_CAUSE_PLATFORM) || ts_fact_names(q, TS_CAUSE_NONDETERMINISM);
}

static bool code_differs(const struct ts_inquiry *q)
{
	return ts_fact_names(q, TS_CAUSE_CODE);
}

static bool draws_seed_differs(const struct ts_inquiry *q)
{
	return ts_fact_names(q, TS_CAUSE_RNG_STREAM);
}

static bool generators_differ(const struct ts_inquiry *q)
{
	const struct ts_first *rng = &q->first[TS_KIND_RNG];

	return rng->parts && rng->step <= q->f;
}

static bool generators_before_pass(const struct ts_inquiry *q)
{
	return generators_differ(q) && q->e->rng_before_pass;
}

static bool rate_differs(const struct ts_inquiry *q)
{
	return q->first[TS_KIND_LR].parts;
}

static bool restored_otherwise(const struct ts_inquiry *q)
{
	return q->first[TS_KIND_PARAMS].parts || q->first[TS_KIND_OPTIMIZER].parts || q->first[TS_KIND_RNG].parts ||
	       q->first[TS_KIND_LR].parts;
}

static bool some_gradients_differ(const struct ts_inquiry *q)
{
	const struct ts_first *grads = &q->first[TS_KIND_GRADS];

	return grads->parts && grads->ranks > 1 && grads->parted_first < grads->ranks;
}

static bool parameters_differ(const struct ts_inquiry *q)
{
	return q->first[TS_KIND_PARAMS].parts;
}

/* The state that an update leaves is that of the other run where the parameters are not: the update did run. */
static bool update_inputs_agree(const struct ts_inquiry *q)
{
	int64_t before = q->first[TS_KIND_PARAMS].step - q->cadence;

	return parameters_differ(q) && (ts_agrees_at(q, TS_KIND_GRADS, before) || ts_agrees_at(q, TS_KIND_GRAD_NORM, before));
}

static bool update_ran(const struct ts_inquiry *q)
{
	return parameters_differ(q) && ts_agrees_at(q, TS_KIND_OPTIMIZER, q->first[TS_KIND_PARAMS].step);
}

/* The pass of that step left other buffers, and no pass before it did. */
static bool buffers_begin(const struct ts_inquiry *q)
{
	return q->first[TS_KIND_BUFFERS].parts && q->first[TS_KIND_BUFFERS].step == q->f && q->f > q->start &&
	       ts_agrees_at(q, TS_KIND_BUFFERS, q->f - q->cadence);
}

static bool buffers_differ(const struct ts_inquiry *q)
{
	return q->first[TS_KIND_BUFFERS].parts;
}

static bool buffers_lost(const struct ts_inquiry *q)
{
	int64_t resume;

	return ts_buffers_lost(q, &resume);
}

static bool indices_agree(const struct ts_inquiry *q)
{
	return ts_agrees_at(q, TS_KIND_INDICES, q->f);
}

/* A data set that orders its samples itself has other batches for the same indices. */
static bool batches_agree(const struct ts_inquiry *q)
{
	return q->first[TS_KIND_BATCH].recorded && !q->first[TS_KIND_BATCH].parts;
}

#define CONDITION(name, text) static const struct ts_condition name##_is = {text, name}
CONDITION(batch_agrees, "the batch has the same digest at that step");
CONDITION(batch_differs, "the batch differs no later than that step");
CONDITION(batch_never_differs, "no digest of a batch differs");
CONDITION(parameters_agree, "the parameters of that step agree");
CONDITION(generators_agree, "the random generators agree at that step");
CONDITION(nothing_drew, "the random generators do not differ by then, and the run does not make its own data");
CONDITION(loss_agrees, "the loss agrees at that step");
CONDITION(first_parameters_agree, "the first parameters agree");
CONDITION(first_loss_agrees, "the first loss agrees");
CONDITION(first_pass, "that step is the first pass, before any update");
CONDITION(first_parameters_differ, "the parameters differ before the first update");
CONDITION(repeats_equal, "repeats of the first run are equal bit for bit");
CONDITION(resumed, "a run was resumed");
CONDITION(never_resumed,
	  "no run was resumed or begins within the other, and the two differ at once, or their optimizers and generators agree at that "
	  "step");
CONDITION(single_rank, "there is one rank");
CONDITION(one_rank_recorded, "one rank was recorded");
CONDITION(same_worlds, "both runs have as many ranks");
CONDITION(other_worlds, "the number of ranks differs");
CONDITION(steps_not_moved, "the steps of one run are not those of the other, moved");
CONDITION(steps_moved, "the values of one run are those of the other at steps that are moved, or counted at another rate");
CONDITION(ranks_exchanged, "every rank of one run has the values of another rank of the other");
CONDITION(means_agree, "the number of ranks differs, and the mean loss of all ranks was compared");
CONDITION(state_differs, "a digest of parameters, gradients or the optimizer differs");
CONDITION(input_differs, "a batch or the learning rate differs");
CONDITION(loss_and_norm_differ,
	  "the loss and the gradient norm differ, by more than their writing, and no digest shows that the parameters agree");
CONDITION(sketch_beyond, "a sketch of a tensor differs by more than rounding");
CONDITION(nothing_differs, "no loss and no digest of the training differs");
CONDITION(parameters_never_differ, "no digest of the parameters differs");
CONDITION(norm_never_differs, "the gradient norm, or another series that follows from the weights, never differs");
CONDITION(setting_differs, "a recorded setting differs");
CONDITION(kernel_fact_differs, "a recorded flag, library, device or split of the work differs");
CONDITION(code_differs, "the recorded code differs");
CONDITION(draws_seed_differs, "the recorded seed of dropout or augmentation differs");
CONDITION(generators_differ, "the random generators differ no later than that step");
CONDITION(generators_before_pass, "the random generators differ before the pass of that step");
CONDITION(rate_differs, "the learning rate differs");
CONDITION(restored_otherwise, "a digest of the state, or the learning rate, differs");
CONDITION(some_gradients_differ, "gradients differ on some of the ranks");
CONDITION(update_inputs_agree, "the parameters differ behind an update whose gradients agree");
CONDITION(update_ran, "the parameters differ behind an update that left the optimizer as in the other run");
CONDITION(buffers_begin, "the buffers that the pass of that step left differ, and those before it agree");
CONDITION(buffers_differ, "the buffers that passes left differ");
CONDITION(buffers_lost, "the buffers agree up to a resume, and differ at the first record behind it");
CONDITION(indices_agree, "the samples drawn for the pass of that step have the same indices");
CONDITION(batches_agree, "there are digests of batches, and none differs");

/* --- the table --- */

#define NO TS_TESTIMONY_CONTRADICTS
#define YES TS_TESTIMONY_PROVES

const struct ts_testimony ts_testimonies[] = {
	{NO,
	 {&batch_agrees_is},
	 {TS_CAUSE_DATA_ORDER, TS_CAUSE_DATA_POSITION, TS_CAUSE_DATA_SET, TS_CAUSE_RESUME_DATA, TS_CAUSE_ORDER_OR_SET,
	  TS_CAUSE_ON_POLICY}},
	{NO,
	 {&batch_differs_is, &parameters_agree_is, &nothing_drew_is},
	 {TS_CAUSE_REDUCTION_ORDER, TS_CAUSE_PLATFORM, TS_CAUSE_NONDETERMINISM, TS_CAUSE_GRADIENT_PATH, TS_CAUSE_CORRUPTION}},
	{NO, {&batch_never_differs_is}, {TS_CAUSE_ON_POLICY}},
	{NO, {&indices_agree_is, &batches_agree_is}, {TS_CAUSE_DATA_ORDER, TS_CAUSE_DATA_POSITION, TS_CAUSE_RESUME_DATA}},
	{NO, {&first_parameters_agree_is}, {TS_CAUSE_INIT}},
	{NO, {&first_loss_agrees_is}, {TS_CAUSE_INIT}},
	/* The digest may not cover every generator, but what they draw affects the forward pass. */
	{NO, {&generators_agree_is, &loss_agrees_is}, {TS_CAUSE_RNG_STREAM}},
	{NO, {&first_pass_is}, {TS_CAUSE_CORRUPTION, TS_CAUSE_GRADIENT_PATH}},
	{NO, {&buffers_begin_is, &parameters_agree_is}, {TS_CAUSE_GRADIENT_PATH}},
	{NO, {&buffers_begin_is}, {TS_CAUSE_REPORTING}},
	{NO, {&repeats_equal_is}, {TS_CAUSE_NONDETERMINISM}},
	{NO, {&never_resumed_is}, {TS_CAUSE_RESUME_STATE, TS_CAUSE_RESUME_DATA}},
	{NO, {&single_rank_is}, {TS_CAUSE_GRADIENT_PATH, TS_CAUSE_RANK_ORDER}},
	{NO, {&one_rank_recorded_is}, {TS_CAUSE_RANK_ORDER}},
	{NO, {&same_worlds_is}, {TS_CAUSE_LOCAL_LOSSES}},
	{NO, {&other_worlds_is}, {TS_CAUSE_RANK_ORDER}},
	{NO, {&steps_not_moved_is}, {TS_CAUSE_STEP_NUMBERING}},
	{NO, {&state_differs_is}, {TS_CAUSE_REPORTING}},
	{NO, {&input_differs_is}, {TS_CAUSE_REPORTING}},
	{NO, {&loss_and_norm_differ_is}, {TS_CAUSE_REPORTING}},
	{NO, {&sketch_beyond_is}, {TS_CAUSE_ROUNDING, TS_CAUSE_NONDETERMINISM, TS_CAUSE_REDUCTION_ORDER, TS_CAUSE_REPORTING}},

	{YES, {&nothing_differs_is}, {TS_CAUSE_IDENTICAL, TS_CAUSE_QUANTIZATION}},
	{YES, {&parameters_never_differ_is}, {TS_CAUSE_REPORTING, TS_CAUSE_EVALUATION, TS_CAUSE_QUANTIZATION}},
	{YES, {&norm_never_differs_is}, {TS_CAUSE_REPORTING}},
	{YES, {&buffers_differ_is, &norm_never_differs_is}, {TS_CAUSE_EVALUATION}},
	{YES, {&steps_moved_is}, {TS_CAUSE_STEP_NUMBERING}},
	{YES, {&ranks_exchanged_is}, {TS_CAUSE_RANK_ORDER}},
	{YES, {&means_agree_is}, {TS_CAUSE_LOCAL_LOSSES}},
	{YES, {&batch_differs_is}, {TS_CAUSE_DATA_ORDER, TS_CAUSE_DATA_POSITION, TS_CAUSE_DATA_SET}},
	{YES, {&batch_differs_is, &resumed_is}, {TS_CAUSE_RESUME_DATA}},
	{YES, {&first_parameters_differ_is}, {TS_CAUSE_INIT}},
	{YES, {&generators_before_pass_is}, {TS_CAUSE_RNG_STREAM}},
	{YES, {&generators_differ_is, &draws_seed_differs_is}, {TS_CAUSE_RNG_STREAM}},
	{YES, {&resumed_is, &restored_otherwise_is}, {TS_CAUSE_RESUME_STATE}},
	{YES, {&buffers_lost_is, &parameters_never_differ_is}, {TS_CAUSE_RESUME_STATE}},
	{YES, {&some_gradients_differ_is}, {TS_CAUSE_GRADIENT_PATH}},
	{YES, {&update_ran_is}, {TS_CAUSE_CORRUPTION}},
	{YES, {&rate_differs_is, &setting_differs_is}, {TS_CAUSE_CONFIG}},
	{YES, {&setting_differs_is, &parameters_agree_is}, {TS_CAUSE_CONFIG}},
	{YES, {&setting_differs_is, &loss_agrees_is}, {TS_CAUSE_CONFIG}},
	{YES, {&setting_differs_is, &update_inputs_agree_is}, {TS_CAUSE_CONFIG}},
	{YES, {&kernel_fact_differs_is}, {TS_CAUSE_PRECISION, TS_CAUSE_REDUCTION_ORDER, TS_CAUSE_PLATFORM, TS_CAUSE_NONDETERMINISM}},
	{YES, {&code_differs_is}, {TS_CAUSE_CODE}},
};
const size_t ts_testimonies_n = sizeof ts_testimonies / sizeof ts_testimonies[0];

/* --- questions --- */

static bool names(const struct ts_testimony *row, enum ts_cause cause)
{
	for (size_t i = 0; row->causes[i] != TS_CAUSE_UNKNOWN; i++)
		if (row->causes[i] == cause)
			return true;
	return false;
}

static bool holds(const struct ts_inquiry *q, const struct ts_testimony *row)
{
	for (size_t i = 0; row->conditions[i]; i++)
		if (!row->conditions[i]->holds(q))
			return false;
	return true;
}

static const struct ts_testimony *find(const struct ts_inquiry *q, enum ts_cause cause, enum ts_testimony_says says)
{
	for (size_t i = 0; i < ts_testimonies_n; i++) {
		const struct ts_testimony *row = &ts_testimonies[i];

		if (row->says == says && names(row, cause) && holds(q, row))
			return row;
	}
	return NULL;
}

const struct ts_testimony *ts_contradicts(const struct ts_inquiry *q, enum ts_cause cause)
{
	return q->has_f ? find(q, cause, TS_TESTIMONY_CONTRADICTS) : NULL;
}

const struct ts_testimony *ts_proves(const struct ts_inquiry *q, enum ts_cause cause)
{
	return find(q, cause, TS_TESTIMONY_PROVES);
}

struct ts_span ts_testimony_text(struct ts_inquiry *q, const struct ts_testimony *row)
{
	struct ts_span text = ts_span_str(row->conditions[0]->clause);

	TS_DOOR(ts_inquiry_holds(q));
	for (size_t i = 1; row->conditions[i]; i++)
		text = ts_inquiry_text(q, "%.*s%s %s", TS_SPAN_ARG(text), row->conditions[i + 1] ? "," : " and",
				       row->conditions[i]->clause);
	return text;
}

void ts_testimony_markdown(struct ts_buf *out)
{
	ts_buf_str(out, "| where the record shows that | it | the causes |\n|---|---|---|\n");
	for (size_t i = 0; i < ts_testimonies_n; i++) {
		const struct ts_testimony *row = &ts_testimonies[i];

		ts_buf_str(out, "| ");
		for (size_t k = 0; row->conditions[k]; k++)
			ts_buf_printf(out, "%s%s", k ? "; " : "", row->conditions[k]->clause);
		ts_buf_printf(out, " | %s | ", row->says == TS_TESTIMONY_PROVES ? "can prove" : "contradicts");
		for (size_t k = 0; row->causes[k] != TS_CAUSE_UNKNOWN; k++)
			ts_buf_printf(out, "%s`%s`", k ? " " : "", ts_cause_word(row->causes[k]));
		ts_buf_str(out, " |\n");
	}
}
