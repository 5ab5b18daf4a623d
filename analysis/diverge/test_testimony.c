/* test_testimony.c - which columns speak for and against each cause. Each line is made by hand: a record, and the cause that it proves,
 * contradicts or leaves open. What is expected follows from what a column is (docs/digests.md), not from the table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analysis/diverge/testimony.h"

enum { LAST = 999, F = 60 };

/* A run of 1,000 steps beside another; the loss first differs at F unless a case says otherwise. */
struct record {
	struct ts_arena arena;
	struct ts_evidence e;
	struct ts_evidence_series series[16];
	struct ts_fact_row rows[4];
	struct ts_fact facts[8];
	struct ts_facts sides[2];
	struct ts_sketch_diff sketches;
	int64_t resume;
	struct ts_inquiry q;
};

static void put(struct record *r, enum ts_series_kind kind, int32_t rank, int64_t differs, int64_t every)
{
	struct ts_evidence_series *s = &r->series[r->e.n_series++];

	*s = (struct ts_evidence_series){
		.kind = kind, .rank = rank, .in_a = true, .in_b = true, .from_first = true, .last_common = LAST};
	s->name = ts_span_str("x");
	s->cadence = every;
	s->common = (uint64_t)(LAST / every + 1);
	s->parts = differs >= 0;
	s->first = differs;
	s->after_known = differs > 0;
	s->after = differs - every;
	s->a = 2;
	s->b = 1.9;
	if (s->parts && kind < TS_KIND_PARAMS)
		s->gap = (struct ts_gap){.known = true, .visible = true, .visible_step = differs, .at_visible = 0.05, .greatest = 0.1};
}

/* Of one job: kind, and where it differs; -1 is nowhere. */
static void job(struct record *r, enum ts_series_kind kind, int64_t differs)
{
	put(r, kind, 0, differs, 1);
}

static void differs(struct record *r, const char *path, const char *a, const char *b)
{
	size_t n = r->e.n_facts;
	struct ts_fact *fact = &r->facts[2 * n];
	const char *values[2] = {a, b};

	for (size_t i = 0; i < 2; i++)
		fact[i] = (struct ts_fact){.path = ts_span_str(path), .type = TS_FACT_TEXT, .text = ts_span_str(values[i])};
	r->rows[n] = (struct ts_fact_row){.path = ts_span_str(path), .rank = -1, .a = &fact[0], .b = &fact[1]};
	assert_true(ts_group_of(r->rows[n].path, &r->rows[n].group));
	r->e.n_facts = n + 1;
}

/* --- records --- */

static void loss_alone(struct record *r)
{
	job(r, TS_KIND_LOSS, F);
}

static void same_batch(struct record *r)
{
	job(r, TS_KIND_LOSS, F);
	job(r, TS_KIND_BATCH, -1);
}

/* Digests of every hundredth step say nothing of the batch of step 60. */
static void rare_batch(struct record *r)
{
	job(r, TS_KIND_LOSS, F);
	put(r, TS_KIND_BATCH, 0, -1, 100);
}

static void other_batch(struct record *r)
{
	r->e.params_time = TS_DIGEST_BEFORE;
	job(r, TS_KIND_LOSS, F);
	job(r, TS_KIND_PARAMS, F + 1);
	job(r, TS_KIND_BATCH, F);
}

/* A run that makes its data makes other data from any other state. */
static void own_batch(struct record *r)
{
	other_batch(r);
	r->e.rewards = true;
}

static void drawn_batch(struct record *r)
{
	other_batch(r);
	job(r, TS_KIND_RNG, F);
}

/* Indices of every step beside batches of every hundredth: the order is known at each step, and the data at some. */
static void same_indices(struct record *r)
{
	rare_batch(r);
	job(r, TS_KIND_INDICES, -1);
}

/* A data set may order its samples itself, and nothing shows what it gave. */
static void indices_alone(struct record *r)
{
	job(r, TS_KIND_LOSS, F);
	job(r, TS_KIND_INDICES, -1);
}

static void same_indices_of_other_batches(struct record *r)
{
	job(r, TS_KIND_LOSS, F);
	job(r, TS_KIND_BATCH, F);
	job(r, TS_KIND_INDICES, -1);
}

/* Indices of every seventh step say nothing of one between. */
static void rare_indices(struct record *r)
{
	rare_batch(r);
	put(r, TS_KIND_INDICES, 0, -1, 7);
}

static void later_batch(struct record *r)
{
	job(r, TS_KIND_LOSS, F);
	job(r, TS_KIND_BATCH, F + 5);
}

static void other_batch_after_resume(struct record *r)
{
	other_batch(r);
	r->resume = F;
	r->e.resumes_b = (struct ts_steps_list){&r->resume, 1};
}

static void first_step(struct record *r)
{
	job(r, TS_KIND_LOSS, 0);
}

static void other_start(struct record *r)
{
	r->e.params_time = TS_DIGEST_BEFORE;
	job(r, TS_KIND_LOSS, 0);
	job(r, TS_KIND_PARAMS, 0);
}

/* Nobody said whether the digest is of before or after the update. */
static void other_start_undeclared(struct record *r)
{
	other_start(r);
	r->e.params_time = TS_DIGEST_UNKNOWN;
}

static void same_generators(struct record *r)
{
	job(r, TS_KIND_LOSS, -1);
	job(r, TS_KIND_GRADS, F);
	job(r, TS_KIND_RNG, -1);
}

static void other_generators(struct record *r)
{
	job(r, TS_KIND_LOSS, F);
	job(r, TS_KIND_RNG, F);
}

static void other_generators_before(struct record *r)
{
	other_generators(r);
	r->e.rng_before_pass = true;
}

static void equal_repeats(struct record *r)
{
	loss_alone(r);
	r->e.repeats = (struct ts_repeats_seen){.runs = 3, .answer = TS_REPEATS_EQUAL};
}

static void two_ranks(struct record *r)
{
	r->e.ranks_a = r->e.ranks_b = 2;
	put(r, TS_KIND_LOSS, 0, F, 1);
	put(r, TS_KIND_LOSS, 1, F, 1);
}

static void one_rank(struct record *r)
{
	loss_alone(r);
	r->e.ranks_a = r->e.ranks_b = r->e.world_a = r->e.world_b = 1;
}

static void worlds(struct record *r)
{
	loss_alone(r);
	r->e.world_a = 2;
	r->e.world_b = 4;
}

static void some_gradients(struct record *r)
{
	two_ranks(r);
	put(r, TS_KIND_GRADS, 0, -1, 1);
	put(r, TS_KIND_GRADS, 1, F, 1);
}

static void optimizer_differs(struct record *r)
{
	loss_alone(r);
	job(r, TS_KIND_OPTIMIZER, F);
}

/* The pass of step F left other buffers; the one before it did not. */
static void pass_differs(struct record *r)
{
	two_ranks(r);
	r->e.params_time = TS_DIGEST_BEFORE;
	put(r, TS_KIND_PARAMS, 0, F + 1, 1);
	put(r, TS_KIND_PARAMS, 1, F + 1, 1);
	put(r, TS_KIND_BUFFERS, 0, F, 1);
	put(r, TS_KIND_BUFFERS, 1, F, 1);
}

/* Other parameters may have been what made the pass differ. */
static void pass_of_other_parameters(struct record *r)
{
	two_ranks(r);
	r->e.params_time = TS_DIGEST_BEFORE;
	put(r, TS_KIND_PARAMS, 0, F, 1);
	put(r, TS_KIND_PARAMS, 1, F, 1);
	put(r, TS_KIND_BUFFERS, 0, F, 1);
}

static void buffers_with_loss(struct record *r)
{
	loss_alone(r);
	job(r, TS_KIND_BUFFERS, F);
}

/* An evaluation may have changed them before. */
static void buffers_before_loss(struct record *r)
{
	loss_alone(r);
	job(r, TS_KIND_BUFFERS, F - 5);
}

/* Of buffers of every twentieth step nobody knows in which pass they came to differ. */
static void buffers_now_and_then(struct record *r)
{
	loss_alone(r);
	put(r, TS_KIND_BUFFERS, 0, F, 20);
}

static void buffers_alone(struct record *r)
{
	job(r, TS_KIND_LOSS, -1);
	job(r, TS_KIND_BUFFERS, F);
}

static void buffers_beside_norm(struct record *r)
{
	buffers_alone(r);
	job(r, TS_KIND_GRAD_NORM, -1);
}

static void buffers_behind_resume(struct record *r)
{
	buffers_alone(r);
	job(r, TS_KIND_PARAMS, -1);
	r->resume = F;
	r->e.resumes_b = (struct ts_steps_list){&r->resume, 1};
}

static void buffers_later_than_resume(struct record *r)
{
	buffers_behind_resume(r);
	r->resume = F - 2;
}

static void parameters_stay(struct record *r)
{
	loss_alone(r);
	job(r, TS_KIND_PARAMS, -1);
}

static void norm_stays(struct record *r)
{
	loss_alone(r);
	job(r, TS_KIND_GRAD_NORM, -1);
}

static void norm_differs(struct record *r)
{
	loss_alone(r);
	job(r, TS_KIND_GRAD_NORM, F);
}

static void sketch_above(struct record *r)
{
	loss_alone(r);
	r->sketches.has_first = true;
	r->e.sketches = &r->sketches;
}

static void update_left_optimizer(struct record *r)
{
	job(r, TS_KIND_LOSS, F);
	job(r, TS_KIND_PARAMS, F);
	job(r, TS_KIND_OPTIMIZER, -1);
}

static void kept_optimizer(struct record *r)
{
	job(r, TS_KIND_LOSS, F);
	job(r, TS_KIND_OPTIMIZER, -1);
}

static void kept_states(struct record *r)
{
	kept_optimizer(r);
	job(r, TS_KIND_RNG, -1);
}

static void rate_alone(struct record *r)
{
	job(r, TS_KIND_LOSS, F);
	job(r, TS_KIND_LR, F - 1);
}

static void rate_and_setting(struct record *r)
{
	rate_alone(r);
	differs(r, "config.lr", "1", "2");
}

static void library(struct record *r)
{
	loss_alone(r);
	differs(r, "libraries.torch", "2.12.0", "2.13.0");
}

static void commit(struct record *r)
{
	loss_alone(r);
	differs(r, "code.commit", "aaaa", "bbbb");
}

static void nothing(struct record *r)
{
	job(r, TS_KIND_LOSS, -1);
}

static void moved(struct record *r)
{
	loss_alone(r);
	r->e.first_steps_known = true;
	r->e.first_step_b = 1;
	r->e.moved = (struct ts_moved){.looked = true, .by = 1, .steps = 900};
}

static void exchanged(struct record *r)
{
	two_ranks(r);
	r->e.ranks_exchanged = true;
}

static void means(struct record *r)
{
	worlds(r);
	r->e.means = (struct ts_rank_means){true, 2, 2};
}

/* --- what they say --- */

enum answer { OPEN, AGAINST, PROVED };

static const struct {
	void (*make)(struct record *r);
	enum ts_cause cause;
	enum answer answer;
	int line;
} cases[] = {
#define C(make, cause, answer)                                                                                                         \
	{                                                                                                                              \
		make, TS_CAUSE_##cause, answer, __LINE__                                                                               \
	}
	C(loss_alone, DATA_ORDER, OPEN),
	C(same_batch, DATA_ORDER, AGAINST),
	C(same_batch, DATA_POSITION, AGAINST),
	C(same_batch, DATA_SET, AGAINST),
	C(same_batch, RESUME_DATA, AGAINST),
	C(same_batch, ORDER_OR_SET, AGAINST),
	C(same_batch, ON_POLICY, AGAINST),
	C(rare_batch, DATA_ORDER, OPEN),
	C(rare_batch, DATA_SET, OPEN),
	C(later_batch, DATA_ORDER, AGAINST),
	C(same_indices, DATA_ORDER, AGAINST),
	C(same_indices, DATA_POSITION, AGAINST),
	C(same_indices, RESUME_DATA, AGAINST),
	C(same_indices, DATA_SET, OPEN),
	C(indices_alone, DATA_ORDER, OPEN),
	C(rare_indices, DATA_ORDER, OPEN),
	C(same_indices_of_other_batches, DATA_ORDER, PROVED),
	C(other_batch, DATA_ORDER, PROVED),
	C(other_batch, DATA_POSITION, PROVED),
	C(other_batch, DATA_SET, PROVED),
	C(other_batch, RESUME_DATA, OPEN),
	C(first_step, RESUME_DATA, AGAINST),
	C(other_batch_after_resume, RESUME_DATA, PROVED),
	C(other_batch, REDUCTION_ORDER, AGAINST),
	C(own_batch, REDUCTION_ORDER, OPEN),
	C(drawn_batch, REDUCTION_ORDER, OPEN),
	C(other_batch, PLATFORM, AGAINST),
	C(other_batch, NONDETERMINISM, AGAINST),
	C(other_batch, GRADIENT_PATH, AGAINST),
	C(other_batch, CORRUPTION, AGAINST),
	C(loss_alone, INIT, AGAINST),
	C(first_step, INIT, OPEN),
	C(other_start, INIT, PROVED),
	C(other_start_undeclared, INIT, OPEN),
	C(first_step, CORRUPTION, AGAINST),
	C(first_step, GRADIENT_PATH, AGAINST),
	C(loss_alone, RNG_STREAM, OPEN),
	C(same_generators, RNG_STREAM, AGAINST),
	C(other_generators, RNG_STREAM, OPEN),
	C(other_generators_before, RNG_STREAM, PROVED),
	C(loss_alone, NONDETERMINISM, OPEN),
	C(equal_repeats, NONDETERMINISM, AGAINST),
	C(loss_alone, RESUME_STATE, OPEN),
	C(first_step, RESUME_STATE, AGAINST),
	C(kept_states, RESUME_STATE, AGAINST),
	C(kept_optimizer, RESUME_STATE, OPEN),
	C(two_ranks, GRADIENT_PATH, OPEN),
	C(one_rank, GRADIENT_PATH, AGAINST),
	C(one_rank, RANK_ORDER, AGAINST),
	C(worlds, RANK_ORDER, AGAINST),
	C(exchanged, RANK_ORDER, PROVED),
	C(loss_alone, LOCAL_LOSSES, AGAINST),
	C(worlds, LOCAL_LOSSES, OPEN),
	C(means, LOCAL_LOSSES, PROVED),
	C(some_gradients, GRADIENT_PATH, PROVED),
	C(pass_differs, GRADIENT_PATH, AGAINST),
	C(pass_of_other_parameters, GRADIENT_PATH, OPEN),
	C(loss_alone, REPORTING, OPEN),
	C(optimizer_differs, REPORTING, AGAINST),
	C(norm_differs, REPORTING, AGAINST),
	C(other_batch, REPORTING, AGAINST),
	C(buffers_with_loss, REPORTING, AGAINST),
	C(buffers_before_loss, REPORTING, OPEN),
	C(buffers_now_and_then, REPORTING, OPEN),
	C(buffers_alone, EVALUATION, OPEN),
	C(buffers_beside_norm, EVALUATION, PROVED),
	C(buffers_alone, RESUME_STATE, OPEN),
	C(buffers_behind_resume, RESUME_STATE, PROVED),
	C(buffers_later_than_resume, RESUME_STATE, OPEN),
	C(norm_stays, REPORTING, PROVED),
	C(parameters_stay, REPORTING, PROVED),
	C(parameters_stay, EVALUATION, PROVED),
	C(sketch_above, ROUNDING, AGAINST),
	C(sketch_above, NONDETERMINISM, AGAINST),
	C(sketch_above, REDUCTION_ORDER, AGAINST),
	C(sketch_above, CODE, OPEN),
	C(loss_alone, ROUNDING, OPEN),
	C(loss_alone, CORRUPTION, OPEN),
	C(update_left_optimizer, CORRUPTION, PROVED),
	C(rate_alone, CONFIG, OPEN),
	C(rate_and_setting, CONFIG, PROVED),
	C(loss_alone, PLATFORM, OPEN),
	C(library, PLATFORM, PROVED),
	C(loss_alone, CODE, OPEN),
	C(commit, CODE, PROVED),
	C(nothing, IDENTICAL, PROVED),
	C(nothing, QUANTIZATION, PROVED),
	C(loss_alone, STEP_NUMBERING, AGAINST),
	C(moved, STEP_NUMBERING, PROVED),
#undef C
};

static enum answer answer_of(struct record *r, enum ts_cause cause)
{
	bool against = ts_contradicts(&r->q, cause) != NULL, proved = ts_proves(&r->q, cause) != NULL;

	assert_false(against && proved);
	return against ? AGAINST : proved ? PROVED : OPEN;
}

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct record r = {.resume = 0};

		ts_arena_init(&r.arena, 1 << 20);
		r.e.series = r.series;
		r.e.facts = r.rows;
		cases[i].make(&r);
		{
			struct ts_cuts cuts;

			ts_cuts_default(&cuts);
			assert_true(ts_inquiry_begin(&r.q, &r.e, &cuts, &r.arena));
			if (answer_of(&r, cases[i].cause) != cases[i].answer)
				fail_msg("line %d: %s", cases[i].line, ts_cause_word(cases[i].cause));
		}
		ts_arena_finish(&r.arena);
	}
}

/* Classes that say that causes cannot be told apart, and those that are concluded from what is missing, are never proved. */
static bool is_open_class(enum ts_cause cause)
{
	switch ((int)cause) {
	case TS_CAUSE_UNKNOWN:
	case TS_CAUSE_NOT_COMPARABLE:
	case TS_CAUSE_INIT_OR_DATA:
	case TS_CAUSE_KERNEL_RNG_OR_DATA:
	case TS_CAUSE_ORDER_OR_SET:
	case TS_CAUSE_JUMP:
	case TS_CAUSE_BLOW_UP:
	case TS_CAUSE_COMPUTATION:
	case TS_CAUSE_ROUNDING:
	case TS_CAUSE_ON_POLICY:
		return true;
	default:
		return false;
	}
}

static bool speaks(enum ts_testimony_says says, enum ts_cause cause)
{
	for (size_t i = 0; i < ts_testimonies_n; i++)
		for (size_t k = 0; ts_testimonies[i].causes[k] != TS_CAUSE_UNKNOWN; k++)
			if (ts_testimonies[i].says == says && ts_testimonies[i].causes[k] == cause)
				return true;
	return false;
}

static bool tried(enum ts_cause cause, enum answer answer)
{
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (cases[i].cause == cause && cases[i].answer == answer)
			return true;
	return false;
}

/* Each cause that can be sure has a column that speaks for it, and what the table says of a cause is tried above. */
static void test_every_cause(void **state)
{
	(void)state;
	for (int i = 1; i < TS_CAUSES; i++) {
		enum ts_cause cause = (enum ts_cause)i;

		if (speaks(TS_TESTIMONY_PROVES, cause) == is_open_class(cause))
			fail_msg("%s", ts_cause_word(cause));
		if (speaks(TS_TESTIMONY_CONTRADICTS, cause) && !tried(cause, AGAINST))
			fail_msg("nothing tries what contradicts %s", ts_cause_word(cause));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_every_cause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
